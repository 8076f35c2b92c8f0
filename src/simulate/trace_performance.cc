#include <array>

#include "src/objects/json.h"
#include "src/objects/names.h"
#include "src/objects/yaml.h"
#include "src/simulate/trace_common.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::PreemptionPolicy;

constexpr std::int64_t kMost = 2'000'000;  // workloads, and nodes
constexpr const char* kFlavor = "rf";      // where the file names none

std::int64_t positive(Json json, std::int64_t absent, std::int64_t most) {
  const std::int64_t value = json.int64(absent);
  if (value < 0 || value > most) json.invalid("must be between 0 and " + std::to_string(most));
  return std::clamp<std::int64_t>(value, 0, most);
}

Duration millis(Json json) { return Duration::millis(positive(json, 0, 1'000'000'000)); }

PreemptionPolicy policy(Json json) {
  static constexpr std::array<std::pair<std::string_view, PreemptionPolicy>, 4> kNames = {{
      {"Never", PreemptionPolicy::Never},
      {"LowerPriority", PreemptionPolicy::LowerPriority},
      {"LowerOrNewerEqualPriority", PreemptionPolicy::LowerOrNewerEqualPriority},
      {"Any", PreemptionPolicy::Any},
  }};
  return json.choice(kNames).value_or(PreemptionPolicy::Never);
}

class Reader {
 public:
  Trace read(Json root) {
    const Json flavor_json = root["resourceFlavor"];
    flavor_ = flavor_json["name"].text(kFlavor);
    objects::ResourceFlavor flavor;
    flavor.meta = named(flavor_);
    if (root["topology"].present()) {
      read_topology(root["topology"], flavor_json, flavor);
    }
    trace_.objects.of<objects::ResourceFlavor>().emplace(flavor.meta.key, std::move(flavor));
    root["cohorts"].each([&](Json cohort) {
      const std::int64_t count = positive(cohort["count"], 1, kMost);
      for (std::int64_t i = 0; i < count && fits(); ++i) read_cohort(cohort, ++cohorts_);
    });
    if (!fits()) root["cohorts"].fail("more than " + std::to_string(kMost) + " workloads");
    sort_arrivals(trace_.arrivals);
    return std::move(trace_);
  }

 private:
  bool fits() const { return static_cast<std::int64_t>(trace_.arrivals.size()) <= kMost; }

  // Levels with how many domains each domain of the level above has; the last are nodes.
  void read_topology(Json json, Json flavor_json, objects::ResourceFlavor& flavor) {
    objects::Topology topology;
    topology.meta = named(json["name"].required_text());
    std::vector<Labels> domains = {{}};
    ResourceList capacity;
    std::string path_level;
    json["levels"].each([&](Json level) {
      const std::string label = level["nodeLabel"].required_text();
      topology.levels.push_back(label);
      const std::int64_t count = positive(level["count"], 1, kMost);
      std::vector<Labels> inner;
      for (const Labels& outer : domains) {
        for (std::int64_t i = 0; i < count; ++i) {
          if (static_cast<std::int64_t>(inner.size()) >= kMost) {
            return level["count"].fail("more than " + std::to_string(kMost) + " domains");
          }
          Labels labels = outer;
          labels[label] = level["name"].text("level") + "-" + std::to_string(inner.size() + 1);
          inner.push_back(std::move(labels));
        }
      }
      domains = std::move(inner);
      if (level["capacity"].present()) capacity = level["capacity"].resources();
    });
    if (topology.levels.empty()) return json["levels"].fail("Required value");
    const std::string group = flavor_json["nodeLabel"].text();
    if (!group.empty()) flavor.node_labels[group] = flavor_;
    flavor.topology = topology.meta.key.name;
    capacity.emplace("pods", Quantity{10'000});
    for (Labels& labels : domains) {
      objects::Node node;
      node.meta = named(labels[topology.levels.back()]);
      labels[std::string(objects::names::kHostname)] = node.meta.key.name;
      if (!group.empty()) labels[group] = flavor_;
      node.meta.labels = std::move(labels);
      node.allocatable = capacity;
      trace_.objects.of<objects::Node>().emplace(node.meta.key, std::move(node));
    }
    trace_.objects.of<objects::Topology>().emplace(topology.meta.key, std::move(topology));
  }

  void read_cohort(Json json, std::int64_t number) {
    const std::string name = json["className"].text("cohort") + "-" + std::to_string(number);
    std::int64_t queues = 0;
    json["queuesSets"].each([&](Json set) {
      const std::int64_t count = positive(set["count"], 1, kMost);
      for (std::int64_t i = 0; i < count && fits(); ++i) {
        read_queue(set, name,
                   name + "-" + set["className"].text("cq") + "-" + std::to_string(++queues));
      }
    });
  }

  void read_queue(Json json, const std::string& cohort, const std::string& name) {
    objects::ClusterQueue queue;
    queue.meta = named(name);
    queue.cohort = cohort;
    objects::ResourceQuota quota{.name = "cpu",
                                 .nominal = json["nominalQuota"].required_quantity("cpu")};
    quota.borrowing_limit = json["borrowingLimit"].maybe_quantity("cpu");
    queue.resource_groups = {{{"cpu"}, {{flavor_, {quota}}}}};
    queue.preemption.reclaim_within_cohort = policy(json["reclaimWithinCohort"]);
    queue.preemption.within_cluster_queue = policy(json["withinClusterQueue"]);
    add_queue(trace_.objects, std::move(queue));
    std::int64_t set_number = 0;
    json["workloadsSets"].each([&](Json set) { read_workloads(set, name, ++set_number); });
  }

  void read_workloads(Json json, const std::string& queue, std::int64_t set) {
    const Duration interval = millis(json["creationIntervalMs"]);
    const std::int64_t count = positive(json["count"], 1, kMost);
    Duration at;
    for (std::int64_t i = 1; i <= count && fits(); ++i) {
      json["workloads"].each([&](Json kind) {
        at = at + interval;
        const std::string class_name = kind["className"].text("workload");
        Arrival& arrival = trace_.arrivals.emplace_back();
        arrival.at = start_ + at;
        arrival.runtime = millis(kind["runtimeMs"]);
        PodTemplate pod;
        ContainerResources& container = pod.containers.emplace_back();
        container.name = "c";
        container.requests["cpu"] = kind["request"].required_quantity("cpu");
        const auto pods = static_cast<std::int32_t>(positive(kind["podCount"], 1, 1'000'000));
        arrival.workload = workload_of(queue + "-" + std::to_string(set) + "-" + class_name + "-" +
                                           std::to_string(100'000 + i).substr(1),
                                       queue, pods, std::move(pod));
        arrival.workload.priority = kind["priority"].int32();
        arrival.workload.meta.labels["class"] = class_name;
        arrival.workload.pod_sets.front().topology = topology_request(kind);
      });
    }
  }

  static std::optional<objects::TopologyRequest> topology_request(Json kind) {
    const std::string constraint = kind["tasConstraint"].text();
    if (constraint.empty()) return std::nullopt;
    objects::TopologyRequest request;
    const std::string level = kind["tasLevel"].required_text();
    if (constraint == "required") {
      request.required = level;
    } else if (constraint == "preferred" || constraint == "balanced") {
      request.preferred = level;
    } else {
      kind["tasConstraint"].invalid("must be required, preferred or balanced");
    }
    if (kind["sliceSize"].present()) {
      request.slice_size = static_cast<std::int32_t>(positive(kind["sliceSize"], 1, 1'000'000));
      request.slice_required_topology = level;
    }
    return request;
  }

  Trace trace_;
  std::string flavor_;
  std::int64_t cohorts_ = 0;
  Time start_ = Time::from_seconds(1'767'225'600);  // 2026-01-01T00:00:00Z
};

}  // namespace

Outcome<Trace> read_performance(std::istream& file) {
  std::string text;
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  std::string block(1 << 16, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLimit) return error(Errc::Invalid, "more than 4 MiB");
  }
  const Outcome<std::vector<std::string>> documents = objects::yaml_to_json(text);
  if (!documents) return tl::unexpected(documents.error());
  if (documents->size() != 1) return error(Errc::Invalid, "must be one document");
  objects::JsonDocument document;
  if (const Outcome<void> parsed = document.parse(documents->front()); !parsed) {
    return tl::unexpected(parsed.error());
  }
  Trace trace = Reader().read(document.root());
  if (document.fault()) return error(Errc::Invalid, *document.fault());
  if (trace.arrivals.empty()) return error(Errc::Invalid, "cohorts: no workloads in it");
  return trace;
}

}  // namespace quorate::simulate
