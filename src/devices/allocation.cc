#include "src/devices/allocation.h"

#include <algorithm>
#include <set>

#include "src/base/digest.h"

namespace quorate::devices {
namespace {

// A UUID made of a name (as RFC 9562 does for version 8: bits of our own choice).
std::string uuid_of(std::string_view claim, std::string_view device, std::size_t ordinal) {
  Digest digest;
  digest.text(claim).text(device).number(static_cast<std::int64_t>(ordinal));
  const std::uint64_t high = digest.value();
  digest.text("low");
  const std::uint64_t low = digest.value();
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t half = i < 16 ? high : low;
    std::uint64_t digit = half >> (60 - 4 * (i % 16)) & 0xf;
    if (i == 12) digit = 8;                // version
    if (i == 16) digit = 8 | (digit & 3);  // variant
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    out += kDigits[digit];
  }
  return out;
}

// The name of the request that a result "req/sub" belongs to.
std::string_view request_of(std::string_view name) { return name.substr(0, name.find('/')); }

void add_requirements(const std::vector<Requirement>& from, std::vector<Requirement>& to) {
  for (const Requirement& each : from) {
    if (std::ranges::find(to, each) == to.end()) to.push_back(each);
  }
}

// Where the devices can be used together.
std::optional<dra::NodeTerms> node_terms(const NodeDevices& devices,
                                         const std::vector<const Chosen*>& results,
                                         std::string_view node) {
  NodeSelectorTerm term;
  for (const Chosen* each : results) {
    const Candidate& candidate = devices.devices[each->candidate];
    const dra::SliceSpec& slice = candidate.slice->spec;
    const dra::Device& device = candidate.spec();
    const bool local =
        !slice.node_name.empty() || (slice.per_device_nodes && !device.node_name.empty());
    if (local || device.binds_to_node) {
      NodeSelectorTerm only;
      only.match_fields.push_back({"metadata.name", Requirement::Op::In, {std::string(node)}});
      return dra::NodeTerms{only};
    }
    const auto& selector = slice.per_device_nodes ? device.node_selector : slice.node_selector;
    if (!selector) continue;
    for (const NodeSelectorTerm& part : *selector) {
      add_requirements(part.match_expressions, term.match_expressions);
      add_requirements(part.match_fields, term.match_fields);
    }
  }
  if (term.match_expressions.empty() && term.match_fields.empty()) return std::nullopt;
  return dra::NodeTerms{term};
}

std::vector<dra::AllocatedConfig> configs_of(const Shape& shape,
                                             const std::vector<const CompiledAlternative*>& ways,
                                             const MatchTables::Classes& classes) {
  std::vector<dra::AllocatedConfig> configs;
  struct OfClass {
    std::string_view name;
    std::size_t begin, end;
  };
  std::vector<OfClass> seen;
  for (const CompiledAlternative* way : ways) {
    const std::string& name = way->spec->device_class;
    const auto known = std::ranges::find(seen, std::string_view(name), &OfClass::name);
    if (known != seen.end()) {
      for (std::size_t i = known->begin; i < known->end; ++i) {
        configs[i].requests.push_back(way->request);
      }
      continue;
    }
    const std::size_t begin = configs.size();
    if (const auto found = classes.find(name); found != classes.end()) {
      for (const dra::Opaque& opaque : found->second.spec.config) {
        configs.push_back({true, {way->request}, opaque});
      }
    }
    seen.push_back({name, begin, configs.size()});
  }
  for (const dra::ClaimConfig& config : shape.spec.config) {
    const bool applies = config.requests.empty() ||
                         std::ranges::any_of(config.requests, [&](const std::string& request) {
                           return std::ranges::any_of(ways, [&](const CompiledAlternative* way) {
                             return request == way->request || request == request_of(way->request);
                           });
                         });
    if (applies) configs.push_back({false, config.requests, config.opaque});
  }
  // A list that covers every request says nothing.
  for (dra::AllocatedConfig& config : configs) {
    const bool all = std::ranges::all_of(ways, [&](const CompiledAlternative* way) {
      return std::ranges::any_of(config.requests, [&](const std::string& request) {
        return request == way->request || request == request_of(way->request);
      });
    });
    if (all) config.requests.clear();
  }
  return configs;
}

}  // namespace

Allocated make_allocation(const SearchInput& input, const std::vector<Chosen>& chosen,
                          std::uint32_t index, std::string_view claim_id,
                          const MatchTables::Classes& classes, std::string_view node) {
  const Shape& shape = *input.claims[index].shape;
  auto allocation = std::make_shared<dra::Allocation>();
  Allocated out;
  std::vector<const Chosen*> results;
  std::vector<const CompiledAlternative*> ways(shape.requests.size());
  for (const Chosen& each : chosen) {
    if (each.claim != index) continue;
    const CompiledAlternative& way = shape.requests[each.request][each.alternative];
    const Candidate& candidate = input.devices.devices[each.candidate];
    const dra::Device& device = candidate.spec();
    results.push_back(&each);
    ways[each.request] = &way;
    dra::AllocatedDevice& result = allocation->devices.emplace_back();
    result.request = way.request;
    result.device = {candidate.slice->spec.driver, candidate.slice->spec.pool, device.name};
    result.admin_access = way.spec->admin_access;
    result.tolerations = way.spec->tolerations;
    result.binding_conditions = device.binding_conditions;
    result.binding_failure_conditions = device.binding_failure_conditions;
    DeviceUse use{candidate.published->device, each.shared, each.consumed};
    if (each.shared) {
      result.share_id = uuid_of(claim_id, result.device.text(), allocation->devices.size());
      std::size_t i = 0;
      for (const auto& [name, capacity] : device.capacity) {
        result.consumed[name] = each.consumed[i++].second;
      }
    }
    if (!result.admin_access) out.uses.push_back(std::move(use));
  }
  std::erase(ways, nullptr);
  allocation->config = configs_of(shape, ways, classes);
  allocation->node_selector = node_terms(input.devices, results, node);
  out.allocation = std::move(allocation);
  return out;
}

std::vector<DeviceUse> uses_of(const dra::Allocation& allocation, Ledger& ledger, Texts& texts) {
  std::vector<DeviceUse> uses;
  for (const dra::AllocatedDevice& each : allocation.devices) {
    if (each.admin_access) continue;
    DeviceUse& use = uses.emplace_back();
    use.device = ledger.slot(each.device);
    use.shared = !each.share_id.empty();
    for (const auto& [name, amount] : each.consumed) {
      use.consumed.emplace_back(texts.intern(name).slot, amount);
    }
  }
  return uses;
}

}  // namespace quorate::devices
