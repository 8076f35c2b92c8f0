#include "src/engine/device_archive.h"

#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace quorate::engine {
namespace {

// --- the fields of each type, once for reading and writing ---

template <class A>
void fields(A& a, Toleration& v) {
  a(1, v.key), a(2, v.op), a(3, v.value), a(4, v.effect), a(5, v.toleration_seconds);
}
template <class A>
void fields(A& a, Taint& v) {
  a(1, v.key), a(2, v.value), a(3, v.effect);
}
template <class A>
void fields(A& a, Requirement& v) {
  a(1, v.key), a(2, v.op), a(3, v.values);
}
template <class A>
void fields(A& a, NodeSelectorTerm& v) {
  a(1, v.match_expressions), a(2, v.match_fields);
}
template <class A>
void fields(A& a, ObjectKey& v) {
  a(1, v.ns), a(2, v.name);
}
template <class A>
void fields(A& a, dra::Opaque& v) {
  a(1, v.driver), a(2, v.parameters);
}
template <class A>
void fields(A& a, dra::DeviceClassSpec& v) {
  a(1, v.selectors), a(2, v.config), a(3, v.extended_resource);
}
template <class A>
void fields(A& a, dra::Attribute& v) {
  a(1, v.type), a(2, v.list), a(3, v.numbers), a(4, v.texts);
}
template <class A>
void fields(A& a, dra::CapacityPolicy::Range& v) {
  a(1, v.min), a(2, v.max), a(3, v.step);
}
template <class A>
void fields(A& a, dra::CapacityPolicy& v) {
  a(1, v.fallback), a(2, v.valid_values), a(3, v.valid_range);
}
template <class A>
void fields(A& a, dra::Capacity& v) {
  a(1, v.value), a(2, v.policy);
}
template <class A>
void fields(A& a, dra::CounterConsumption& v) {
  a(1, v.counter_set), a(2, v.counters);
}
template <class A>
void fields(A& a, dra::DeviceTaint& v) {
  a(1, v.taint), a(2, v.added);
}
template <class A>
void fields(A& a, dra::Device& v) {
  a(1, v.name), a(2, v.attributes), a(3, v.capacity), a(4, v.consumes), a(5, v.node_name);
  a(6, v.node_selector), a(7, v.all_nodes), a(8, v.taints), a(9, v.binds_to_node);
  a(10, v.binding_conditions), a(11, v.binding_failure_conditions), a(12, v.allow_multiple);
}
template <class A>
void fields(A& a, dra::CounterSet& v) {
  a(1, v.name), a(2, v.counters);
}
template <class A>
void fields(A& a, dra::SliceSpec& v) {
  a(1, v.driver), a(2, v.pool), a(3, v.generation), a(4, v.slice_count), a(5, v.node_name);
  a(6, v.node_selector), a(7, v.all_nodes), a(8, v.per_device_nodes), a(9, v.devices);
  a(10, v.counters);
}
template <class A>
void fields(A& a, dra::TaintRuleSpec::Selector& v) {
  a(1, v.driver), a(2, v.pool), a(3, v.device);
}
template <class A>
void fields(A& a, dra::TaintRuleSpec& v) {
  a(1, v.selector), a(2, v.taint);
}
template <class A>
void fields(A& a, dra::Alternative& v) {
  a(1, v.name), a(2, v.device_class), a(3, v.selectors), a(4, v.mode), a(5, v.count);
  a(6, v.admin_access), a(7, v.tolerations), a(8, v.capacity), a(9, v.derived_attributes);
}
template <class A>
void fields(A& a, dra::Request& v) {
  a(1, v.name), a(2, v.first_available), a(3, v.alternatives);
}
template <class A>
void fields(A& a, dra::Constraint& v) {
  a(1, v.requests), a(2, v.match_attribute), a(3, v.distinct_attribute);
}
template <class A>
void fields(A& a, dra::ClaimConfig& v) {
  a(1, v.requests), a(2, v.opaque);
}
template <class A>
void fields(A& a, dra::ClaimSpec& v) {
  a(1, v.requests), a(2, v.constraints), a(3, v.config);
}
template <class A>
void fields(A& a, dra::DeviceName& v) {
  a(1, v.driver), a(2, v.pool), a(3, v.device);
}
template <class A>
void fields(A& a, dra::AllocatedDevice& v) {
  a(1, v.request), a(2, v.device), a(3, v.admin_access), a(4, v.tolerations);
  a(5, v.binding_conditions), a(6, v.binding_failure_conditions), a(7, v.share_id);
  a(8, v.consumed);
}
template <class A>
void fields(A& a, dra::AllocatedConfig& v) {
  a(1, v.from_class), a(2, v.requests), a(3, v.opaque);
}
template <class A>
void fields(A& a, dra::Allocation& v) {
  a(1, v.devices), a(2, v.config), a(3, v.node_selector), a(4, v.allocated_at);
}
template <class A>
void fields(A& a, dra::Consumer& v) {
  a(1, v.api_group), a(2, v.resource), a(3, v.name), a(4, v.uid);
}
template <class A>
void fields(A& a, dra::DeviceCondition& v) {
  a(1, v.device), a(2, v.share_id), a(3, v.type), a(4, v.is_true), a(5, v.reason), a(6, v.message);
}
template <class A>
void fields(A& a, dra::ClaimStatus& v) {
  a(1, v.allocation), a(2, v.reserved_for), a(3, v.conditions);
}
template <class A>
void fields(A& a, devices::ClassObject& v) {
  a(1, v.name), a(2, v.created), a(3, v.spec);
}
template <class A>
void fields(A& a, devices::SliceObject& v) {
  a(1, v.name), a(2, v.spec);
}
template <class A>
void fields(A& a, devices::TaintRuleObject& v) {
  a(1, v.name), a(2, v.spec);
}
template <class A>
void fields(A& a, devices::TemplateObject& v) {
  a(1, v.key), a(2, v.spec);
}
template <class A>
void fields(A& a, devices::ClaimObject& v) {
  a(1, v.key), a(2, v.uid), a(3, v.resource_version), a(4, v.terminating), a(5, v.has_finalizer);
  a(6, v.owner_group), a(7, v.owner_kind), a(8, v.owner_name), a(9, v.owner_uid);
  a(10, v.extended), a(11, v.spec), a(12, v.status);
}
// An entry of a map.
template <class A, class K, class V>
void fields(A& a, std::pair<K, V>& v) {
  a(1, v.first), a(2, v.second);
}

// --- bytes ---

void put_number(std::string& out, std::uint64_t n) {
  while (n >= 0x80) {
    out += static_cast<char>(n | 0x80);
    n >>= 7;
  }
  out += static_cast<char>(n);
}

template <class T>
concept Number = std::is_integral_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <class T>
  void operator()(std::uint64_t number, const T& value) {
    put(number, value);
  }
  std::string take() { return std::move(out_); }

 private:
  void put(std::uint64_t number, const std::string& text) { piece(number, text); }
  template <Number T>
  void put(std::uint64_t number, const T& value) {
    std::string bytes;  // zeros too: some defaults are none
    put_number(bytes, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    piece(number, bytes);
  }
  void put(std::uint64_t number, const Time& time) { put(number, time.nanos); }
  void put(std::uint64_t number, const ExactQuantity& amount) {
    if (amount != ExactQuantity{}) piece(number, bytes_of(amount));
  }
  template <class T>
  void put(std::uint64_t number, const std::optional<T>& value) {
    if (value) piece(number, bytes_of(*value));
  }
  template <class T>
  void put(std::uint64_t number, const std::vector<T>& values) {
    for (const T& each : values) piece(number, bytes_of(each));
  }
  template <class K, class V>
  void put(std::uint64_t number, const std::map<K, V>& values) {
    for (const auto& [key, value] : values) piece(number, bytes_of(std::pair<K, V>(key, value)));
  }
  template <class T>
  requires(!Number<T>) void put(std::uint64_t number, const T& value) {
    std::string bytes = bytes_of(value);
    if (!bytes.empty()) piece(number, bytes);
  }

  // A value on its own, also where it is the default.
  static std::string bytes_of(const std::string& text) { return text; }
  template <Number T>
  static std::string bytes_of(const T& value) {
    std::string bytes;
    put_number(bytes, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    return bytes;
  }
  static std::string bytes_of(const Time& time) { return bytes_of(time.nanos); }
  static std::string bytes_of(const ExactQuantity& amount) {
    std::string bytes;
    put_number(bytes, static_cast<std::uint64_t>(amount.billionths() >> 64));
    put_number(bytes, static_cast<std::uint64_t>(amount.billionths()));
    return bytes;
  }
  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    Writer inner;
    inner(1, values);
    return inner.take();
  }
  template <class T>
  requires(!Number<T>) static std::string bytes_of(const T& value) {
    Writer inner;
    fields(inner, const_cast<T&>(value));  // NOLINT: writing changes nothing
    return inner.take();
  }

  void piece(std::uint64_t number, std::string_view bytes) {
    put_number(out_, number);
    put_number(out_, bytes.size());
    out_ += bytes;
  }

  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) {
    while (!bytes.empty() && ok_) {
      const std::uint64_t number = take_number(bytes);
      const std::uint64_t size = take_number(bytes);
      if (!ok_ || size > bytes.size()) {
        ok_ = false;
        return;
      }
      pieces_.emplace_back(number, bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
  }

  template <class T>
  void operator()(std::uint64_t number, T& value) {
    for (const auto& [found, bytes] : pieces_) {
      if (found == number) get(bytes, value);
    }
  }
  bool ok() const { return ok_; }

 private:
  std::uint64_t take_number(std::string_view& bytes) {
    std::uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      n |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return n;
    }
    ok_ = false;
    return 0;
  }

  void get(std::string_view bytes, std::string& text) { text = bytes; }
  template <Number T>
  void get(std::string_view bytes, T& value) {
    value = static_cast<T>(take_number(bytes));
  }
  void get(std::string_view bytes, Time& time) { get(bytes, time.nanos); }
  void get(std::string_view bytes, ExactQuantity& amount) {
    const auto high = static_cast<std::int64_t>(take_number(bytes));
    const std::uint64_t low = take_number(bytes);
    amount = ExactQuantity{static_cast<Int128>(high) * (Int128{1} << 64) + low};
  }
  template <class T>
  void get(std::string_view bytes, std::optional<T>& value) {
    value.emplace();
    if constexpr (std::is_same_v<T, dra::NodeTerms>) {
      Reader inner(bytes);
      inner(1, *value);
      ok_ = ok_ && inner.ok_;
    } else {
      get(bytes, *value);
    }
  }
  template <class T>
  void get(std::string_view bytes, std::vector<T>& values) {
    get(bytes, values.emplace_back());
  }
  template <class K, class V>
  void get(std::string_view bytes, std::map<K, V>& values) {
    std::pair<K, V> entry;
    get(bytes, entry);
    values[std::move(entry.first)] = std::move(entry.second);
  }
  template <class T>
  requires(!Number<T>) void get(std::string_view bytes, T& value) {
    Reader inner(bytes);
    if (inner.ok_) fields(inner, value);
    ok_ = ok_ && inner.ok_;
  }

  std::vector<std::pair<std::uint64_t, std::string_view>> pieces_;
  bool ok_ = true;
};

template <class T>
std::string written(const T& object) {
  Writer out;
  fields(out, const_cast<T&>(object));  // NOLINT: writing changes nothing
  return out.take();
}

}  // namespace

std::string to_bytes(const devices::ClassObject& object) { return written(object); }
std::string to_bytes(const devices::SliceObject& object) { return written(object); }
std::string to_bytes(const devices::TaintRuleObject& object) { return written(object); }
std::string to_bytes(const devices::TemplateObject& object) { return written(object); }
std::string to_bytes(const devices::ClaimObject& object) { return written(object); }

template <class T>
Outcome<T> from_bytes(std::string_view bytes) {
  T object;
  Reader in(bytes);
  if (in.ok()) fields(in, object);
  if (!in.ok()) return error(Errc::Invalid, "malformed device object");
  return object;
}

template Outcome<devices::ClassObject> from_bytes(std::string_view);
template Outcome<devices::SliceObject> from_bytes(std::string_view);
template Outcome<devices::TaintRuleObject> from_bytes(std::string_view);
template Outcome<devices::TemplateObject> from_bytes(std::string_view);
template Outcome<devices::ClaimObject> from_bytes(std::string_view);

}  // namespace quorate::engine
