#include "src/scheduler/group_diagnosis.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "src/scheduler/evaluation.h"
#include "src/scheduler/framework.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;

constexpr std::size_t kDomainsListed = 5;
constexpr std::size_t kPiecesListed = 8;

bool scored_only(std::uint32_t resource) {
  return resource == cluster::kScoredCpu || resource == cluster::kScoredMemory;
}

std::string in_words(const std::string& resource, std::int64_t amount) {
  return format_quantity(resource, Quantity{amount});
}

bool names_gpu(std::string_view text) { return text.find("gpu") != std::string_view::npos; }

// Whether what the pod asks of its nodes is a GPU model: it takes GPUs and selects by a label of
// them.
bool asks_for_model(const cluster::Resources& names, const PodView& pod) {
  const bool takes = std::ranges::any_of(pod.demand->charges, [&](const cluster::Charge& charge) {
    return charge.resource >= cluster::kFirstNamed && names_gpu(names.name({charge.resource, 0}));
  });
  if (!takes) return false;
  for (const auto& [key, value] : pod.pod().node_selector) {
    if (names_gpu(key)) return true;
  }
  if (!pod.pod().node_affinity.required) return false;
  return std::ranges::any_of(*pod.pod().node_affinity.required, [](const NodeSelectorTerm& term) {
    return std::ranges::any_of(term.match_expressions,
                               [](const Requirement& one) { return names_gpu(one.key); });
  });
}

// Members of one shape, against the nodes of a domain.
struct Shape {
  std::unique_ptr<Evaluation> evaluation;
  std::int64_t members = 0;
};

DomainFinding look_at(const TreePlanInput& input, const GroupNode& leaf, const Placement& where) {
  DomainFinding finding;
  finding.group = leaf.key;
  finding.domain = where.domain;
  finding.fit = leaf.scheduled;
  finding.wanted = leaf.required;
  std::vector<Shape> shapes;
  for (std::size_t i = leaf.first; i < leaf.last; ++i) {
    auto same = std::ranges::find_if(shapes, [&](const Shape& shape) {
      return same_shape(input.model, shape.evaluation->pod(), input.pods[i]);
    });
    if (same == shapes.end()) {
      shapes.push_back(
          {std::make_unique<Evaluation>(input.framework, input.model, input.pods[i], where.nodes),
           0});
      same = std::prev(shapes.end());
    }
    ++same->members;
  }
  // Why nodes refuse, their free resources apart: filters that evicting does not help.
  std::map<std::string, std::int64_t> refusals;
  std::set<std::size_t> useful;
  for (const Shape& shape : shapes) {
    for (std::size_t n = 0; n < where.nodes.size(); ++n) {
      bool short_of_resources = shape.evaluation->feasible(n);
      if (!short_of_resources) {
        const std::vector<std::string> reasons = shape.evaluation->why(n);
        short_of_resources = std::ranges::all_of(reasons, [](const std::string& reason) {
          return reason.starts_with("Insufficient ") || reason == "Too many pods";
        });
        if (!short_of_resources) {
          for (const std::string& reason : reasons) ++refusals[reason];
        }
      }
      if (short_of_resources) useful.insert(n);
    }
  }
  finding.refusals.assign(refusals.begin(), refusals.end());

  // Fills the domain, node by node; exact for members that are all alike.
  const Transaction filling(input.journal);
  std::map<std::uint32_t, std::int64_t> need;
  std::map<std::uint32_t, std::int64_t> largest;  // what one member asks for at most
  for (Shape& shape : shapes) {
    const cluster::Demand& demand = *shape.evaluation->pod().demand;
    shape.evaluation->catch_up();
    std::int64_t open = shape.members;
    for (std::size_t n = 0; n < where.nodes.size() && open > 0; ++n) {
      for (std::int64_t k = shape.evaluation->copies(n, open); k > 0; --k) {
        input.model.charge(input.journal, where.nodes[n], demand);
        --open;
        ++finding.fit;
      }
      shape.evaluation->refresh(n);
    }
    const std::int64_t lacking =
        std::min<std::int64_t>(open, std::max(0, leaf.required - finding.fit));
    for (const cluster::Charge& charge : demand.charges) {
      if (scored_only(charge.resource) || lacking == 0) continue;
      need[charge.resource] =
          (Quantity{need[charge.resource]} + Quantity{charge.amount} * lacking).base_units();
      largest[charge.resource] = std::max(largest[charge.resource], charge.amount);
    }
  }
  if (useful.empty()) return finding;  // no resources would help
  for (const auto& [resource, wanted] : need) {
    ResourceShortage shortage;
    shortage.resource = input.model.resources().name({resource, 0});
    shortage.need = wanted;
    Quantity free;
    for (const std::size_t n : useful) {
      const std::int64_t here = input.model.free(where.nodes[n], resource);
      if (here <= 0) continue;
      free += Quantity{here};
      shortage.pieces.push_back(here);
    }
    shortage.have = free.base_units();
    std::ranges::sort(shortage.pieces, std::greater<>{});
    const bool fragmented = !shortage.pieces.empty() && shortage.pieces.front() < largest[resource];
    if (shortage.have >= shortage.need && !fragmented) continue;
    if (shortage.pieces.size() > kPiecesListed) shortage.pieces.resize(kPiecesListed);
    finding.resources.push_back(std::move(shortage));
  }
  return finding;
}

GroupCause cause_of(const TreePlanInput& input, const GroupNode& leaf,
                    const GroupDiagnosis& diagnosis) {
  const DomainFinding& best = diagnosis.domains.front();
  if (best.fit >= best.wanted) return GroupCause::SiblingGroup;
  if (!best.topology_key.empty()) {
    const Placement everywhere{"", {input.model.nodes().begin(), input.model.nodes().end()}};
    if (look_at(input, leaf, everywhere).fit >= leaf.required) return GroupCause::TopologyDomain;
  }
  const bool resources = !best.resources.empty();
  if (resources) {
    const bool in_sum = std::ranges::all_of(
        best.resources, [](const ResourceShortage& one) { return one.have >= one.need; });
    if (in_sum) return GroupCause::Fragmentation;
    return best.fit > 0 ? GroupCause::CapacityBelowMinimum : GroupCause::Capacity;
  }
  GroupCause cause = GroupCause::OtherFilter;
  std::int64_t most = 0;
  for (const auto& [reason, nodes] : best.refusals) {
    if (nodes <= most) continue;
    most = nodes;
    if (reason.find("affinity/selector") != std::string::npos) {
      const bool model = asks_for_model(input.model.resources(), input.pods[leaf.first]);
      cause = model ? GroupCause::GpuModel : GroupCause::NodeAffinity;
    } else if (reason.find("taint") != std::string::npos) {
      cause = GroupCause::Taint;
    } else {
      cause = GroupCause::OtherFilter;
    }
  }
  if (most == 0) return best.fit > 0 ? GroupCause::CapacityBelowMinimum : GroupCause::Capacity;
  return cause;
}

}  // namespace

std::string_view name_of(GroupCause cause) {
  switch (cause) {
    case GroupCause::None:
      return "None";
    case GroupCause::QueueAdmission:
      return "QueueAdmission";
    case GroupCause::IncompleteGroup:
      return "IncompleteGroup";
    case GroupCause::TopologyLabel:
      return "TopologyLabel";
    case GroupCause::TopologyDomain:
      return "TopologyDomain";
    case GroupCause::GpuModel:
      return "GpuModel";
    case GroupCause::NodeAffinity:
      return "NodeAffinity";
    case GroupCause::Taint:
      return "Taint";
    case GroupCause::OtherFilter:
      return "OtherFilter";
    case GroupCause::Fragmentation:
      return "Fragmentation";
    case GroupCause::CapacityBelowMinimum:
      return "CapacityBelowMinimum";
    case GroupCause::Capacity:
      return "Capacity";
    case GroupCause::PreemptionNotAllowed:
      return "PreemptionNotAllowed";
    case GroupCause::SiblingGroup:
      return "SiblingGroup";
    case GroupCause::BudgetEnded:
      return "BudgetEnded";
  }
  return "";
}

std::string_view layer_of(GroupCause cause) {
  switch (cause) {
    case GroupCause::None:
      return "";
    case GroupCause::QueueAdmission:
      return "queue";
    case GroupCause::IncompleteGroup:
    case GroupCause::CapacityBelowMinimum:
    case GroupCause::SiblingGroup:
    case GroupCause::BudgetEnded:
      return "gang";
    case GroupCause::TopologyLabel:
    case GroupCause::TopologyDomain:
      return "topology";
    case GroupCause::GpuModel:
    case GroupCause::NodeAffinity:
    case GroupCause::Taint:
    case GroupCause::OtherFilter:
    case GroupCause::Fragmentation:
    case GroupCause::Capacity:
    case GroupCause::PreemptionNotAllowed:
      return "node";
  }
  return "";
}

std::string DomainFinding::text() const {
  std::string text = topology_key.empty() ? "cluster" : topology_key + " " + domain;
  text += ": " + std::to_string(fit) + " of " + std::to_string(wanted) + " members fit";
  for (const ResourceShortage& one : resources) {
    if (one.need > one.have) {
      text += ", short " + in_words(one.resource, one.need - one.have) + " " + one.resource;
      continue;
    }
    text += ", " + in_words(one.resource, one.have) + " " + one.resource + " free as ";
    for (std::size_t i = 0; i < one.pieces.size(); ++i) {
      text += (i == 0 ? "" : "+") + in_words(one.resource, one.pieces[i]);
    }
  }
  for (const auto& [reason, nodes] : refusals) text += ", " + std::to_string(nodes) + " " + reason;
  return text;
}

std::string GroupDiagnosis::text() const {
  if (cause == GroupCause::None) return "";
  std::string text = "layer " + std::string(layer_of(cause)) + ", " + std::string(name_of(cause));
  for (std::size_t i = 0; i < domains.size(); ++i) {
    text += (i == 0 ? ": " : "; ") + domains[i].text();
  }
  if (more_domains > 0) text += "; and " + std::to_string(more_domains) + " more domains";
  return text;
}

GroupDiagnosis diagnose(const TreePlanInput& input, std::size_t group, const TreePlan& plan) {
  GroupDiagnosis diagnosis;
  diagnosis.certificate = plan.proof;
  const GroupNode& leaf = input.tree.groups[group];
  if (leaf.scheduled + static_cast<std::int32_t>(leaf.last - leaf.first) < leaf.required) {
    diagnosis.cause = GroupCause::IncompleteGroup;
    return diagnosis;
  }
  // The nearest constraint, its own or one above it.
  std::size_t constrained = group;
  while (input.tree.groups[constrained].topology_key.empty() &&
         input.tree.groups[constrained].parent != kNoParent) {
    constrained = input.tree.groups[constrained].parent;
  }
  const std::string& key = input.tree.groups[constrained].topology_key;
  Status status;
  const std::vector<Placement> placements =
      placements_of(input, constrained, input.model.nodes(), status);
  if (placements.empty()) {
    diagnosis.cause = GroupCause::TopologyLabel;
    return diagnosis;
  }
  for (const Placement& placement : placements) {
    diagnosis.domains.push_back(look_at(input, leaf, placement));
    diagnosis.domains.back().topology_key = key;
  }
  std::ranges::stable_sort(diagnosis.domains, std::greater<>{}, &DomainFinding::fit);
  diagnosis.cause = cause_of(input, leaf, diagnosis);
  if (diagnosis.cause == GroupCause::SiblingGroup && input.tree.single() &&
      plan.outcome == GroupPlan::Outcome::BudgetEnded) {
    diagnosis.cause = GroupCause::BudgetEnded;
  }
  if (diagnosis.domains.size() > kDomainsListed) {
    diagnosis.more_domains = static_cast<std::int32_t>(diagnosis.domains.size() - kDomainsListed);
    diagnosis.domains.resize(kDomainsListed);
  }
  return diagnosis;
}

}  // namespace quorate::scheduler
