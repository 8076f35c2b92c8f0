#include "src/simulate/op_find_topology.h"

#include <algorithm>
#include <map>
#include <variant>

#include "admission/requests.h"
#include "admission/topology_step.h"
#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/complete.h"
#include "src/simulate/inputs.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/yaml_text.h"
#include "src/translate/translate.h"
#include "topology/inventory.h"
#include "topology/pod_sets.h"

namespace quorate::simulate {
namespace {

using admission::PodSetSpec;
using objects::JsonWriter;
using topology::Assignment;

// The flavor of nodes that no flavor is given for.
constexpr const char* kAnyNode = "";

struct Found {
  ObjectKey workload;
  std::vector<std::pair<std::string, Assignment>> pod_sets;  // of those that were placed
  std::string failure;                                       // "" if all were
};

bool holds_places(const objects::Workload& workload) {
  return workload.status.admission &&
         objects::is_true(workload.status.conditions, objects::conditions::kQuotaReserved) &&
         !objects::is_true(workload.status.conditions, "Finished");
}

class Finder {
 public:
  Finder(const Objects& objects, const objects::Configuration& config)
      : objects_(objects), config_(translate::to_config(config)) {}

  Outcome<Found> run() {
    Outcome<const objects::Workload*> asked = the_asked();
    if (!asked) return tl::unexpected(asked.error());
    const auto& topologies = objects_.of<objects::Topology>();
    if (topologies.size() != 1) {
      return error(Errc::Invalid, "exactly one Topology is needed, there are " +
                                      std::to_string(topologies.size()));
    }
    topology_ = topologies.begin()->second.meta.key.name;
    build();
    const admission::WorkloadSpec spec = translate::to_spec(**asked);
    Found found{spec.key, {}, ""};
    const Outcome<void> done =
        spec.unhealthy_nodes.empty() ? place(**asked, spec, found) : replace(**asked, spec, found);
    if (!done) return tl::unexpected(done.error());
    return found;
  }

 private:
  Outcome<const objects::Workload*> the_asked() const {
    std::vector<const objects::Workload*> broken, waiting;
    for (const auto& [key, workload] : objects_.of<objects::Workload>()) {
      if (!workload.status.unhealthy_nodes.empty()) broken.push_back(&workload);
      const bool finished = objects::is_true(workload.status.conditions, "Finished");
      const bool reserved =
          objects::is_true(workload.status.conditions, objects::conditions::kQuotaReserved);
      if (!finished && !reserved) waiting.push_back(&workload);
    }
    const auto& asked = broken.empty() ? waiting : broken;
    if (asked.size() == 1) return asked.front();
    return error(Errc::Invalid, "exactly one Workload to place is needed, there are " +
                                    std::to_string(asked.size()));
  }

  void build() {
    const objects::Topology& topology = objects_.of<objects::Topology>().begin()->second;
    inventory_.share_hosts(config_.topology.shared_hosts);
    inventory_.set_model(&model_);
    for (const auto& [key, node] : objects_.of<objects::Node>()) {
      inventory_.observe(model_.apply(journal_, translate::to_spec(node)));
    }
    for (const auto& [key, pod] : objects_.of<objects::Pod>()) {
      inventory_.observe(model_.apply(journal_, translate::to_spec(pod)));
    }
    inventory_.put_topology(topology_, topology.levels);
    for (const auto& [key, flavor] : objects_.of<objects::ResourceFlavor>()) {
      if (flavor.topology != topology_) continue;
      flavors_.push_back(key.name);
      inventory_.put_flavor(key.name, topology_, flavor.node_labels);
    }
    if (flavors_.empty()) {
      flavors_.push_back(kAnyNode);
      inventory_.put_flavor(kAnyNode, topology_, {});
    }
    for (const auto& [key, range] : objects_.of<objects::LimitRange>()) {
      ranges_.push_back(translate::to_spec(range));
    }
    for (const auto& [key, runtime_class] : objects_.of<objects::RuntimeClass>()) {
      runtime_classes_[key.name] = translate::to_spec(runtime_class);
    }
    for (const auto& [key, workload] : objects_.of<objects::Workload>()) {
      if (holds_places(workload)) charge(translate::to_spec(workload));
    }
  }

  PodTemplate defaulted(const PodSetSpec& pods, const std::string& ns) const {
    std::vector<const admission::LimitRangeSpec*> here;
    for (const admission::LimitRangeSpec& range : ranges_) {
      if (range.key.ns == ns) here.push_back(&range);
    }
    const admission::LimitSummary limits = admission::merge_limits(here);
    return admission::with_defaults(*pods.pod, {&config_, &limits, &runtime_classes_});
  }

  void charge(const admission::WorkloadSpec& spec) {
    for (const admission::PodSetAssignment& assigned : spec.admission->pod_sets) {
      const auto pods = std::ranges::find(spec.pod_sets, assigned.name, &PodSetSpec::name);
      if (!assigned.topology || pods == spec.pod_sets.end()) continue;
      inventory_.charge(journal_, flavor_of(assigned), *assigned.topology,
                        pod_requests(defaulted(*pods, spec.key.ns)), 1);
    }
  }

  // The assigned flavor that has the topology.
  std::string flavor_of(const admission::PodSetAssignment& assigned) const {
    for (const auto& [resource, flavor] : assigned.flavors) {
      if (std::ranges::find(flavors_, flavor) != flavors_.end()) return flavor;
    }
    return flavors_.front();
  }

  // Of several flavors the one that an annotation of the Workload names for the pod set.
  Outcome<std::string> assumed_flavor(const objects::Workload& workload,
                                      const std::string& pod_set) const {
    if (flavors_.size() == 1) return flavors_.front();
    const std::string annotation = "quorate.dev/assume-flavors";
    const auto text = workload.meta.annotations.find(annotation);
    objects::JsonDocument document;
    if (text != workload.meta.annotations.end() && document.parse(text->second)) {
      for (const auto& [resource, flavor] : document.root()[pod_set].labels()) {
        if (std::ranges::find(flavors_, flavor) != flavors_.end()) return flavor;
      }
    }
    return error(Errc::Invalid, "several flavors have the topology: the annotation " + annotation +
                                    " must name one of them for pod set " + pod_set);
  }

  // What stands behind a pod set's request; the reason why it cannot be placed, in `why`.
  topology::Ask ask_of(const admission::WorkloadSpec& spec, const PodSetSpec& pods,
                       const std::string& flavor, topology::Tree& tree, std::string& why) const {
    const PodTemplate pod = defaulted(pods, spec.key.ns);
    topology::Ask ask;
    ask.wish = admission::wish_of(pods.topology ? &*pods.topology : nullptr);
    ask.pods = pods.count;
    ask.pod = tree.amounts(pod_requests(pod));
    ask.filter = {pod.node_selector, pod.node_affinity, pod.tolerations};
    const auto& flavors = objects_.of<objects::ResourceFlavor>();
    if (const auto known = flavors.find({"", flavor}); known != flavors.end()) {
      ask.filter.tolerations.insert(ask.filter.tolerations.end(), known->second.tolerations.begin(),
                                    known->second.tolerations.end());
    }
    why = admission::add_updates(spec.checks, pods.name, ask.filter);
    return ask;
  }

  topology::Options options() const {
    topology::Options options;
    options.profile = config_.topology.profile;
    return options;
  }

  Outcome<void> place(const objects::Workload& workload, const admission::WorkloadSpec& spec,
                      Found& found) {
    std::map<std::string, std::vector<std::size_t>> by_flavor;
    for (std::size_t i = 0; i < spec.pod_sets.size(); ++i) {
      if (spec.pod_sets[i].count == 0) continue;
      const Outcome<std::string> flavor = assumed_flavor(workload, spec.pod_sets[i].name);
      if (!flavor) return tl::unexpected(flavor.error());
      by_flavor[*flavor].push_back(i);
    }
    std::map<std::size_t, Assignment> placed;
    for (const auto& [flavor, members] : by_flavor) {
      topology::Tree& tree = *inventory_.tree(flavor);
      std::vector<topology::PodSetAsk> asks;
      for (const std::size_t i : members) {
        const PodSetSpec& pods = spec.pod_sets[i];
        topology::PodSetAsk& ask = asks.emplace_back();
        if (pods.topology) ask.group = pods.topology->pod_set_group;
        ask.ask = ask_of(spec, pods, flavor, tree, found.failure);
        if (!found.failure.empty()) return {};
      }
      for (auto& [at, outcome] : topology::place_all(tree, asks, options())) {
        if (const auto* failure = std::get_if<topology::Failure>(&outcome)) {
          found.failure = topology::text(*failure);
          return {};
        }
        placed[members[at]] = std::get<Assignment>(std::move(outcome));
      }
    }
    for (auto& [i, assignment] : placed) {
      found.pod_sets.push_back({spec.pod_sets[i].name, std::move(assignment)});
    }
    return {};
  }

  Outcome<void> replace(const objects::Workload& workload, const admission::WorkloadSpec& spec,
                        Found& found) {
    if (!spec.admission) {
      return error(Errc::Invalid, workload.meta.key.text() + ": has a failed node, but no quota");
    }
    const std::vector<std::string> failed = {spec.unhealthy_nodes.front()};
    for (const admission::PodSetAssignment& assigned : spec.admission->pod_sets) {
      const auto pods = std::ranges::find(spec.pod_sets, assigned.name, &PodSetSpec::name);
      if (!assigned.topology || pods == spec.pod_sets.end()) continue;
      const bool used = std::ranges::any_of(
          assigned.topology->domains, [&](const auto& domain) { return domain.values == failed; });
      if (!used) continue;
      const std::string flavor = flavor_of(assigned);
      topology::Tree& tree = *inventory_.tree(flavor);
      const topology::Ask ask = ask_of(spec, *pods, flavor, tree, found.failure);
      if (!found.failure.empty()) return {};
      const topology::Outcome outcome =
          topology::replace(tree, ask, *assigned.topology, failed, options());
      if (const auto* failure = std::get_if<topology::Failure>(&outcome)) {
        found.failure = topology::text(*failure);
        return {};
      }
      found.pod_sets.push_back({assigned.name, std::get<topology::Placed>(outcome).pods});
    }
    return {};
  }

  const Objects& objects_;
  const admission::Config config_;
  std::string topology_;
  std::vector<std::string> flavors_;  // that have the topology
  std::vector<admission::LimitRangeSpec> ranges_;
  std::map<std::string, admission::RuntimeClassSpec> runtime_classes_;
  Journal journal_;
  cluster::Model model_;
  topology::Inventory inventory_;
};

void write(JsonWriter& out, const std::string& name, const Assignment& assignment) {
  out.open().field("name", std::string_view(name)).field("count", assignment.pods());
  out.key("topology").open().key("levels").open_list();
  for (const std::string& level : assignment.levels) out.text(level);
  out.close_list().key("domains").open_list();
  for (const Assignment::Domain& domain : assignment.domains) {
    out.open().key("values").open_list();
    for (const std::string& value : domain.values) out.text(value);
    out.close_list().field("count", domain.count).close();
  }
  out.close_list().close().close();
}

std::string to_json(const Found& found) {
  JsonWriter out;
  const std::string key = found.workload.text();
  out.open().key("cycles").open_list().open().field("cycle", std::int64_t{1});
  out.key("admitted").open_list();
  if (found.failure.empty()) {
    out.open().field("workload", std::string_view(key)).key("podSets").open_list();
    for (const auto& [name, assignment] : found.pod_sets) write(out, name, assignment);
    out.close_list().close();
  }
  out.close_list().key("preempted").open_list().close_list().key("pending").open_list();
  if (!found.failure.empty()) {
    out.open().field("workload", std::string_view(key)).field("layer", "topology");
    out.field("reason", "TopologyPlacementFailed");
    out.field("message", std::string_view(found.failure)).close();
  }
  out.close_list().close().close_list().close();
  return out.take();
}

std::string to_table(const Found& found) {
  if (!found.failure.empty()) return found.workload.text() + ": " + found.failure + "\n";
  std::vector<std::vector<std::string>> rows = {{"POD SET", "DOMAIN", "PODS"}};
  for (const auto& [name, assignment] : found.pod_sets) {
    for (const Assignment::Domain& domain : assignment.domains) {
      std::string path;
      for (const std::string& value : domain.values) path += (path.empty() ? "" : "/") + value;
      rows.push_back({name, path, std::to_string(domain.count)});
    }
  }
  return table(rows);
}

}  // namespace

int op_find_topology(const Options& options, const Streams& streams) {
  std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  Objects& objects = inputs->loaded.objects;
  Identities identities;
  complete(objects, inputs->now.value_or(start_of(objects)), identities);
  const Outcome<Found> found = Finder(objects, inputs->config).run();
  if (!found) {
    streams.err << "--op find-topology: " << found.error().message << "\n";
    return kUnusable;
  }
  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_table(*found);
  } else {
    const std::string json = to_json(*found);
    streams.out << (format == "yaml" ? yaml_of_json(json) : json + "\n");
  }
  return kRan;
}

}  // namespace quorate::simulate
