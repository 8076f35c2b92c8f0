#include "src/cluster/model.h"

#include <algorithm>

#include "src/base/check.h"

namespace quorate::cluster {

Model::Model() {
  // In the order of the constants in demand.h. The scored columns have names that no Kubernetes
  // resource can have.
  for (const char* name : {"pods", "cpu", "memory", "cpu (scored)", "memory (scored)"}) {
    resources_.intern(name);
  }
  check(resources_.size() == kFirstNamed, "the fixed resources have their slots");
  usage_.grow(resources_.size(), 0);
}

PodId Model::find_pod(const ObjectKey& key) const {
  return pods_by_key_.find(
      key, [&](PodId id) -> const ObjectKey& { return pods_.at(id).info->spec.key; });
}

PodId Model::find_pod(const ObjectKey& key, std::string_view uid) const {
  const PodId id = find_pod(key);
  return id && pods_.at(id).info->spec.uid == uid ? id : PodId{};
}

void Model::charge(Journal& journal, NodeId node, const Demand& demand) {
  take_room(journal, node, demand);
  add_guest(node, demand.occupant);
  if (journal.recording()) {
    journal.action([this, node, who = demand.occupant] { remove_guest(node, who); });
  }
}

void Model::release(Journal& journal, NodeId node, const Demand& demand) {
  give_room(journal, node, demand);
  remove_guest(node, demand.occupant);
  if (journal.recording()) {
    journal.action([this, node, who = demand.occupant] { add_guest(node, who); });
  }
}

void Model::add_guest(NodeId node, const std::shared_ptr<const Occupant>& who) {
  nodes_.at(node).guests.push_back(who);
  moved(node, who, 1);
}

void Model::remove_guest(NodeId node, const std::shared_ptr<const Occupant>& who) {
  auto& guests = nodes_.at(node).guests;
  const auto last = std::ranges::find(guests.rbegin(), guests.rend(), who);
  check(last != guests.rend(), "a release of what was not charged");
  *last = std::move(guests.back());
  guests.pop_back();
  moved(node, who, -1);
}

void Model::moved(NodeId node, const std::shared_ptr<const Occupant>& who, std::int32_t by) {
  moves_.add({node.slot, by, who});
  if (!who->has_terms()) return;
  terms_.count(*who->pod->relations, by);
  nodes_.at(node).with_terms += static_cast<std::uint32_t>(by);
}

void Model::take_room(Journal& journal, NodeId node, const Demand& demand) {
  usage_.grow(resources_.size(), nodes_.slots());
  changes_.add(journal, node.slot);
  for (const Charge& charge : demand.charges) {
    usage_.add(journal, node.slot, charge.resource, charge.amount);
  }
  if (demand.ports.empty()) return;
  count_ports(node, demand.ports, 1);
  if (journal.recording()) {
    journal.action([this, node, ports = demand.ports] { count_ports(node, ports, -1); });
  }
}

void Model::give_room(Journal& journal, NodeId node, const Demand& demand) {
  changes_.add(journal, node.slot);
  for (const Charge& charge : demand.charges) {
    usage_.add(journal, node.slot, charge.resource, -charge.amount);
  }
  if (demand.ports.empty()) return;
  count_ports(node, demand.ports, -1);
  if (journal.recording()) {
    journal.action([this, node, ports = demand.ports] { count_ports(node, ports, 1); });
  }
}

void Model::count_ports(NodeId node, const std::vector<HostPort>& ports, std::int32_t by) {
  auto& in_use = nodes_.at(node).ports;
  for (const HostPort& port : ports) {
    auto at = std::ranges::lower_bound(in_use, port, {}, &std::pair<HostPort, std::int32_t>::first);
    if (at == in_use.end() || at->first != port) at = in_use.insert(at, {port, 0});
    at->second += by;
    check(at->second >= 0, "a host port was released more often than taken");
    if (at->second == 0) in_use.erase(at);
  }
}

bool Model::port_free(NodeId node, const HostPort& port) const {
  return std::ranges::none_of(nodes_.at(node).ports,
                              [&](const auto& used) { return clash(used.first, port); });
}

void Model::reserve(Journal& journal, const std::string& workload_uid, Reservation reservation) {
  drop_reservation(journal, workload_uid);
  // A workload of that name that was recreated: the place of the old one goes with it.
  if (const std::string* old = reservation_of(reservation.workload)) {
    drop_reservation(journal, std::string(*old));
  }
  for (const ReservedPod& pod : reservation.pods) {
    charge(journal, pod.node, *pod.demand);
    if (pod.hold != nullptr) extension_.get()->take(*this, journal, *pod.hold);
  }
  reserved_uids_[reservation.workload] = workload_uid;
  const ObjectKey workload = reservation.workload;
  reservations_.emplace(workload_uid, std::move(reservation));
  journal.action([this, workload_uid, workload] {
    reservations_.erase(workload_uid);
    reserved_uids_.erase(workload);
  });
}

void Model::drop_reservation(Journal& journal, const std::string& workload_uid) {
  const auto found = reservations_.find(workload_uid);
  if (found == reservations_.end()) return;
  note_reservation_freed(journal);
  Reservation dropped = std::move(found->second);
  reservations_.erase(found);
  const bool named = reservation_of(dropped.workload) != nullptr &&
                     *reservation_of(dropped.workload) == workload_uid;
  if (named) reserved_uids_.erase(dropped.workload);
  for (const ReservedPod& pod : dropped.pods) {
    release(journal, pod.node, *pod.demand);
    if (pod.hold != nullptr) extension_.get()->give_back(*this, journal, *pod.hold);
  }
  if (!journal.recording()) {
    for (const ReservedPod& pod : dropped.pods) drop_if_empty(pod.node);
    return;
  }
  journal.action([this, workload_uid, named, dropped] {
    if (named) reserved_uids_[dropped.workload] = workload_uid;
    reservations_.emplace(workload_uid, dropped);
  });
}

void Model::note_reservation_freed(Journal& journal) {
  ++reservations_freed_;
  if (journal.recording()) journal.action([this] { --reservations_freed_; });
}

bool Model::consume(Journal& journal, const std::string& workload_uid, std::string_view pod_set,
                    NodeId node) {
  const auto found = reservations_.find(workload_uid);
  if (found == reservations_.end()) return false;
  std::vector<ReservedPod>& pods = found->second.pods;
  std::size_t chosen = pods.size();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (pods[i].pod_set != pod_set) continue;
    chosen = i;
    if (pods[i].node == node) break;
  }
  if (chosen == pods.size()) return false;
  note_reservation_freed(journal);
  const ReservedPod taken = pods[chosen];
  pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(chosen));
  release(journal, taken.node, *taken.demand);
  if (taken.hold != nullptr) extension_.get()->give_back(*this, journal, *taken.hold);
  if (!journal.recording()) {
    drop_if_empty(taken.node);
  } else {
    journal.action([this, workload_uid, taken, chosen] {
      std::vector<ReservedPod>& restored = reservations_.at(workload_uid).pods;
      restored.insert(restored.begin() + static_cast<std::ptrdiff_t>(chosen), taken);
    });
  }
  if (pods.empty()) drop_reservation(journal, workload_uid);
  return true;
}

const Reservation* Model::reservation(const std::string& workload_uid) const {
  const auto found = reservations_.find(workload_uid);
  return found == reservations_.end() ? nullptr : &found->second;
}

const std::string* Model::reservation_of(const ObjectKey& workload) const {
  const auto found = reserved_uids_.find(workload);
  return found == reserved_uids_.end() ? nullptr : &found->second;
}

void Model::digest(Digest& digest) const {
  const auto usage_of = [&](NodeId id) {
    std::map<std::string_view, std::int64_t> amounts;
    for (std::uint32_t r = 0; r < usage_.resources(); ++r) {
      if (used(id, r) != 0) amounts[resources_.name({r, 0})] = used(id, r);
    }
    for (const auto& [name, amount] : amounts) digest.text(name).number(amount);
    for (const auto& [port, times] : nodes_.at(id).ports) {
      digest.text(port.host_ip).text(port.protocol).number(port.port).number(times);
    }
  };
  const auto node_text = [&](NodeId id) {
    const NodeSpec& spec = *nodes_.at(id).spec;
    digest.text(spec.name).text(spec.uid).number(spec.unschedulable ? 1 : 0);
    for (const auto& [key, value] : spec.labels) digest.text(key).text(value);
    for (const Taint& taint : spec.taints)
      digest.text(taint.key).text(taint.value).text(taint.effect);
    for (const auto& [name, amount] : spec.allocatable)
      digest.text(name).number(amount.base_units());
    usage_of(id);
  };
  digest.text("nodes").number(static_cast<std::int64_t>(by_name_.size()));
  for (const NodeId id : by_name_) node_text(id);
  digest.text("placeholders").number(static_cast<std::int64_t>(placeholders_.size()));
  for (const NodeId id : placeholders_) node_text(id);

  std::map<ObjectKey, PodId> pods;
  each_pod([&](PodId id, const Pod& pod) { pods.emplace(pod.info->spec.key, id); });
  digest.text("pods").number(static_cast<std::int64_t>(pods.size()));
  for (const auto& [key, id] : pods) {
    const Pod& pod = pods_.at(id);
    digest.text(key.ns).text(key.name).text(pod.info->spec.uid).number(pod.assumed ? 1 : 0);
    digest.text(pod.node ? nodes_.at(pod.node).spec->name : "");
  }
  for (const auto& [name, labels] : namespaces_) {
    digest.text("namespace").text(name);
    for (const auto& [key, value] : labels) digest.text(key).text(value);
  }
  if (extension_.get() != nullptr) extension_.get()->digest(digest);
  digest.text("reservations").number(static_cast<std::int64_t>(reservations_.size()));
  for (const auto& [uid, reservation] : reservations_) {
    digest.text(uid).text(reservation.workload.ns).text(reservation.workload.name);
    for (const ReservedPod& pod : reservation.pods) {
      digest.text(pod.pod_set).text(nodes_.at(pod.node).spec->name);
    }
  }
}

}  // namespace quorate::cluster
