#pragma once

// A small cluster for tests: builders with defaults, and decisions as one line of text each.

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/cluster/model.h"
#include "src/scheduler/scheduler.h"

namespace quorate::scheduler {

inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

struct NodeArgs {
  std::int64_t cpu = 4000;
  std::int64_t memory = 16 * kGi;
  std::int64_t pods = 110;
  Labels labels = {};
  std::vector<Taint> taints = {};
  bool unschedulable = false;
  ResourceList more = {};
};

struct PodArgs {
  std::string group = "";
  std::int64_t cpu = 1000;
  std::int64_t memory = 0;
  ResourceList more = {};
  Labels selector = {};
  NodeAffinity affinity = {};
  std::vector<Toleration> tolerations = {};
  std::vector<HostPort> ports = {};
  std::vector<std::string> gates = {};
  std::string scheduler = "quorate-scheduler";
  std::int32_t priority = 0;
  std::string policy = "";
  std::string node = "";
  std::int64_t created = 0;  // seconds
  Labels pod_labels = {};
  Labels annotations = {};
  PodRelations relations = {};
  std::string ns = "ns";
};

inline cluster::NodeSpec make_node(const std::string& name, NodeArgs args = {}) {
  cluster::NodeSpec node;
  node.name = name;
  node.uid = "uid-" + name;
  node.labels = std::move(args.labels);
  node.labels["kubernetes.io/hostname"] = name;
  node.taints = std::move(args.taints);
  node.unschedulable = args.unschedulable;
  node.allocatable = std::move(args.more);
  node.allocatable["pods"] = Quantity{args.pods};
  if (args.cpu > 0) node.allocatable["cpu"] = Quantity{args.cpu};
  if (args.memory > 0) node.allocatable["memory"] = Quantity{args.memory};
  return node;
}

inline cluster::PodSpec make_pod(const std::string& name, PodArgs args = {}) {
  auto spec = std::make_shared<PodTemplate>();
  ContainerResources main{.name = "main", .requests = std::move(args.more)};
  if (args.cpu > 0) main.requests["cpu"] = Quantity{args.cpu};
  if (args.memory > 0) main.requests["memory"] = Quantity{args.memory};
  main.host_ports = std::move(args.ports);
  spec->containers.push_back(std::move(main));
  spec->labels = std::move(args.pod_labels);
  spec->annotations = std::move(args.annotations);
  spec->node_selector = std::move(args.selector);
  spec->node_affinity = std::move(args.affinity);
  spec->tolerations = std::move(args.tolerations);
  spec->scheduling_gates = std::move(args.gates);
  spec->scheduler_name = std::move(args.scheduler);
  spec->priority = args.priority;
  spec->preemption_policy = std::move(args.policy);
  spec->relations = std::move(args.relations);
  cluster::PodSpec pod;
  pod.key = {args.ns, name};
  pod.uid = "uid-" + name;
  pod.requests = pod_requests(*spec);
  pod.spec = std::move(spec);
  pod.node = std::move(args.node);
  pod.created = Time::from_seconds(args.created);
  pod.group = std::move(args.group);
  return pod;
}

inline PodGroupSpec make_group(const std::string& name, std::int32_t min_count) {
  PodGroupSpec group;
  group.key = {"ns", name};
  group.uid = "uid-" + name;
  group.min_count = min_count;
  return group;
}

// "bind a n1", "pod a Unschedulable: ...", "group g True", "group g False Unschedulable: ...",
// "delete a: ...", "evict a", "nominate a n1".
inline std::string text(const Decision& decision) {
  struct Print {
    std::string operator()(const Bind& d) { return "bind " + d.pod.name + " " + d.node; }
    std::string operator()(const PodUnschedulable& d) {
      return "pod " + d.pod.name + " " + d.reason + ": " + d.message;
    }
    std::string operator()(const GroupStatus& d) {
      return "group " + d.group.name + (d.scheduled ? " True" : " False " + d.reason + ": ") +
             d.message;
    }
    std::string operator()(const DeleteMember& d) {
      return "delete " + d.pod.name + ": " + d.message;
    }
    std::string operator()(const ReleaseClaim& d) {
      return std::string(d.deallocate ? "deallocate " : "unreserve ") + d.claim.name;
    }
    std::string operator()(const Evict& d) { return "evict " + d.pod.name; }
    std::string operator()(const Nominate& d) {
      return "nominate " + d.pod.name + (d.node.empty() ? " nowhere" : " " + d.node);
    }
  };
  return std::visit(Print{}, decision);
}

class World {
 public:
  explicit World(Config config = {}) : scheduler(std::move(config)) {}

  void node(const std::string& name, NodeArgs args = {}) { node(make_node(name, std::move(args))); }
  void node(cluster::NodeSpec spec) {
    scheduler.observe(model, model.apply(journal, std::move(spec)));
  }
  void node_gone(const std::string& name) {
    scheduler.observe(model, model.node_gone(journal, name));
  }
  void pod(const std::string& name, PodArgs args = {}) { pod(make_pod(name, std::move(args))); }
  void pod(cluster::PodSpec spec) {
    pods[spec.key.name] = spec;
    scheduler.observe(model, journal, model.apply(journal, std::move(spec)));
  }
  void gone(const std::string& name) {
    const cluster::PodSpec spec = pods.at(name);
    pods.erase(name);
    scheduler.observe(model, journal, model.pod_gone(journal, spec.key, spec.uid));
  }
  void group(const std::string& name, std::int32_t min_count) {
    scheduler.apply(make_group(name, min_count));
  }
  // The pod is seen on a node.
  void seen_on(const std::string& name, const std::string& node) {
    cluster::PodSpec spec = pods.at(name);
    spec.node = node;
    pod(spec);
  }
  void finished(const std::string& name, cluster::PodPhase phase = cluster::PodPhase::Succeeded) {
    cluster::PodSpec spec = pods.at(name);
    spec.phase = phase;
    pod(spec);
  }
  void terminating(const std::string& name) {
    cluster::PodSpec spec = pods.at(name);
    spec.terminating = true;
    pod(spec);
  }
  void answered(const std::string& name, BindResult result, const std::string& node = "",
                const std::string& message = "refused") {
    scheduler.bind_written(model, journal, {"ns", name},
                           pods.contains(name) ? pods.at(name).uid : "uid-" + name, node, result,
                           message);
  }

  std::vector<Decision> decide(std::int64_t budget = 1 << 20) {
    return scheduler.step(model, journal, now, budget);
  }
  std::vector<std::string> step(std::int64_t budget = 1 << 20) {
    std::vector<std::string> lines;
    for (const Decision& decision : decide(budget)) lines.push_back(text(decision));
    return lines;
  }
  // Steps after `seconds` have passed.
  std::vector<std::string> after(std::int64_t seconds) {
    now = now + Duration::seconds(seconds);
    return step();
  }
  GroupView view(const std::string& name) { return *scheduler.group_view(model, {"ns", name}); }
  std::string node_of(const std::string& pod) {
    const cluster::PodId id = model.find_pod({"ns", pod});
    if (!id || !model.pod(id).node) return "";
    return model.node(model.pod(id).node).spec->name;
  }
  std::string digest() const {
    Digest digest;
    model.digest(digest);
    return digest.hex();
  }

  cluster::Model model;
  Journal journal;
  Scheduler scheduler;
  Time now = Time::from_seconds(1000);
  std::map<std::string, cluster::PodSpec> pods;
};

// Pods <group>0, <group>1, … of one group.
inline void members(World& world, const std::string& group, int count, PodArgs args = {}) {
  args.group = group;
  for (int i = 0; i < count; ++i) world.pod(group + std::to_string(i), args);
}

}  // namespace quorate::scheduler
