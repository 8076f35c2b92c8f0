#include "src/devices/inventory.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace quorate::devices {
namespace {

bool selects(const NodeSelectorTerm& term, const cluster::NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  const Labels fields{{"metadata.name", node.name}};
  return std::ranges::all_of(term.match_expressions,
                             [&](const Requirement& r) { return matches(r, node.labels); }) &&
         std::ranges::all_of(term.match_fields,
                             [&](const Requirement& r) { return matches(r, fields); });
}

bool device_for(const dra::Device& device, const cluster::NodeSpec& node) {
  if (!device.node_name.empty()) return device.node_name == node.name;
  if (device.node_selector) return quorate::devices::selects(*device.node_selector, node);
  return device.all_nodes;
}

bool relevant(const Slice& slice, const cluster::NodeSpec& node) {
  const dra::SliceSpec& spec = slice.spec;
  if (!spec.node_name.empty()) return spec.node_name == node.name;
  if (spec.node_selector) return quorate::devices::selects(*spec.node_selector, node);
  if (spec.all_nodes) return true;
  return spec.per_device_nodes && std::ranges::any_of(spec.devices, [&](const dra::Device& device) {
           return device_for(device, node);
         });
}

enum class State { Ignored, Complete, Incomplete, Invalid };

// The slices of one pool that count on one node.
struct View {
  State state = State::Ignored;
  std::vector<const Slice*> here;   // of the generation that counts, relevant for the node
  std::vector<const Slice*> whole;  // the same generation, wherever it can be used
};

View view_of(const Pool& pool, const cluster::NodeSpec& node) {
  View view;
  std::optional<std::int64_t> generation;
  for (const auto& slice : pool.slices) {
    if (!relevant(*slice, node)) continue;
    if (!generation || slice->spec.generation > *generation) {
      generation = slice->spec.generation;
      view.here.clear();
    }
    if (slice->spec.generation == *generation) view.here.push_back(slice.get());
  }
  if (view.here.empty()) return view;
  const auto expected =
      static_cast<std::size_t>(std::max<std::int64_t>(0, view.here.front()->spec.slice_count));
  for (const auto& slice : pool.slices) {
    if (slice->spec.generation == *generation) view.whole.push_back(slice.get());
  }
  if (view.here.size() == expected) {
    view.state = State::Complete;
    return view;
  }
  const bool outdated = std::ranges::any_of(
      pool.slices, [&](const auto& slice) { return slice->spec.generation > *generation; });
  if (outdated) return view;
  view.state = view.whole.size() == expected ? State::Complete : State::Incomplete;
  return view;
}

using CounterIndex = std::map<std::pair<std::string_view, std::string_view>, std::uint32_t>;

// Fills in the pool's counters; false: a set occurs twice.
bool count_sets(const View& view, CounterIndex& index, PoolOnNode& pool) {
  std::set<std::string_view> names;
  for (const Slice* slice : view.whole) {
    for (const dra::CounterSet& set : slice->spec.counters) {
      if (!names.insert(set.name).second) return false;
      for (const auto& [name, amount] : set.counters) {
        index.emplace(std::pair{std::string_view(set.name), std::string_view(name)},
                      static_cast<std::uint32_t>(pool.totals.size()));
        pool.totals.push_back(amount.billionths());
        pool.set_of.push_back(static_cast<std::uint32_t>(names.size()));
      }
    }
  }
  return true;
}

// The consumption of a device, appended; false: it names a counter that is not there.
bool add_uses(const dra::Device& device, const CounterIndex& index, std::vector<CounterUse>& uses) {
  for (const dra::CounterConsumption& consumption : device.consumes) {
    for (const auto& [name, amount] : consumption.counters) {
      const auto counter =
          index.find({std::string_view(consumption.counter_set), std::string_view(name)});
      if (counter == index.end()) return false;
      uses.push_back({counter->second, amount.billionths()});
    }
  }
  return true;
}

// A value as one number; never 0.
std::uint64_t fingerprint(const Slice& slice, const AttributeCell& cell) {
  std::uint64_t hash = static_cast<std::uint64_t>(cell.type) + 1;
  for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(slice.values[i])) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash | 1;
}

// Attributes that say what a device has in common with its neighbours.
struct GroupNames {
  std::uint32_t numa, root;

  explicit GroupNames(const Texts& texts)
      : numa(texts.find("resource.kubernetes.io/numaNode").slot),
        root(texts.find("resource.kubernetes.io/pcieRoot").slot) {}
};

void set_groups(Candidate& candidate, const GroupNames& names, const Texts& texts) {
  const Slice& slice = *candidate.slice;
  const auto group = [&](std::uint32_t name) -> std::uint64_t {
    const AttributeCell* cell = slice.find(*candidate.published, name);
    return cell == nullptr ? 0 : fingerprint(slice, *cell);
  };
  const std::uint32_t parent = texts.find(slice.spec.driver + "/parentUUID").slot;
  candidate.groups = {group(names.numa), group(names.root), group(parent)};
}

// Adds the pool's devices; false: it contradicts itself, and nothing was added.
bool add_pool(const std::shared_ptr<const Pool>& pool, bool late, const View& view,
              const cluster::NodeSpec& node, const Texts& texts, NodeDevices& all) {
  PoolOnNode here{pool, late, {}, {}, {}, {}};
  CounterIndex index;
  if (!count_sets(view, index, here)) return false;
  std::vector<Candidate> devices;
  std::set<std::string_view> names;
  const GroupNames groups(texts);
  for (const Slice* slice : view.whole) {
    const bool targeting = std::ranges::find(view.here, slice) != view.here.end();
    for (const Published& published : slice->devices) {
      const dra::Device& device = *published.spec;
      const auto begin = static_cast<std::uint32_t>(here.uses.size());
      if (!add_uses(device, index, here.uses)) return false;
      const auto end = static_cast<std::uint32_t>(here.uses.size());
      if (end > begin) here.consumers.push_back({published.device, begin, end});
      if (!targeting || (slice->spec.per_device_nodes && !device_for(device, node))) continue;
      if (!names.insert(device.name).second) return false;
      Candidate& candidate = devices.emplace_back();
      candidate.slice = slice;
      candidate.published = &published;
      candidate.pool = static_cast<std::uint32_t>(all.pools.size());
      candidate.uses_begin = begin;
      candidate.uses_end = end;
      set_groups(candidate, groups, texts);
    }
  }
  all.pools.push_back(std::move(here));
  all.devices.insert(all.devices.end(), devices.begin(), devices.end());
  return true;
}

bool binds_late(const View& view, const cluster::NodeSpec& node) {
  return std::ranges::any_of(view.here, [&](const Slice* slice) {
    return std::ranges::any_of(slice->spec.devices, [&](const dra::Device& device) {
      return !device.binding_conditions.empty() &&
             (!slice->spec.per_device_nodes || device_for(device, node));
    });
  });
}

}  // namespace

const AttributeCell* Slice::find(const Published& device, std::uint32_t wanted) const {
  for (std::uint32_t i = device.attributes_begin; i < device.attributes_end; ++i) {
    if (attributes[i].name == wanted) return &attributes[i];
  }
  return nullptr;
}

bool selects(const dra::NodeTerms& terms, const cluster::NodeSpec& node) {
  return std::ranges::any_of(terms,
                             [&](const NodeSelectorTerm& term) { return selects(term, node); });
}

NodeDevices devices_on(const cluster::NodeSpec& node,
                       const std::vector<std::shared_ptr<const Pool>>& pools, const Texts& texts) {
  NodeDevices all;
  struct Ready {
    bool late;
    const std::shared_ptr<const Pool>* pool;
    View view;
  };
  std::vector<Ready> ready;
  for (const auto& pool : pools) {
    View view = view_of(*pool, node);
    if (view.state == State::Incomplete && all.incomplete.empty()) all.incomplete = pool->text();
    if (view.state != State::Complete) continue;
    const bool late = binds_late(view, node);
    ready.push_back({late, &pool, std::move(view)});
  }
  std::ranges::sort(ready, [](const Ready& a, const Ready& b) {
    return std::tie(a.late, (*a.pool)->name) < std::tie(b.late, (*b.pool)->name);
  });
  for (const Ready& each : ready) {
    if (!add_pool(*each.pool, each.late, each.view, node, texts, all) && all.invalid.empty()) {
      all.invalid = (*each.pool)->text();
    }
  }
  return all;
}

}  // namespace quorate::devices
