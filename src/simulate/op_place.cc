#include "src/simulate/op_place.h"

#include <map>
#include <set>
#include <variant>

#include "src/engine/engine.h"
#include "src/objects/json_writer.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/complete.h"
#include "src/simulate/inputs.h"
#include "src/simulate/op_pack.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/yaml_text.h"
#include "src/translate/diagnosis.h"
#include "src/translate/translate.h"

namespace quorate::simulate {
namespace {

using objects::JsonWriter;

constexpr int kMostSteps = 100'000;

// Where pods went, and why others went nowhere; the last word on each counts.
struct Placements {
  struct Device {
    std::string claim, request, device;
  };
  struct Placed {
    std::string node;
    std::optional<ObjectKey> group;
    std::vector<Device> devices;
  };
  struct Failed {
    std::string reason, message;
    std::string devices;  // what is short of devices, and how far it got
  };
  std::map<ObjectKey, Placed> pods;
  std::map<ObjectKey, Failed> pending;
  struct Group {
    bool scheduled = false;
    std::string reason, message;
    scheduler::GroupDiagnosis diagnosis;
  };
  std::map<ObjectKey, Group> groups;
  std::map<ObjectKey, ObjectKey> evicted;  // by whom
};

class Placer {
 public:
  explicit Placer(const Objects& objects) {
    const std::string name = scheduler::Config{}.profiles.front().scheduler_name;
    engine_.apply(engine::Configured{{}, {}});
    for (const auto& [key, node] : objects.of<objects::Node>())
      engine_.apply(translate::to_spec(node));
    for (const auto& [key, group] : objects.of<objects::CompositePodGroup>()) {
      engine_.apply(translate::to_spec(group));
    }
    for (const auto& [key, budget] : objects.of<objects::DisruptionBudget>()) {
      engine_.apply(translate::to_spec(budget));
    }
    for (const auto& [key, group] : objects.of<objects::PodGroup>()) {
      scheduler::PodGroupSpec spec = translate::to_spec(group);
      spec.needs_admission = false;  // quota plays no part here
      engine_.apply(spec);
      groups_.push_back(key);
    }
    tell_all<objects::DeviceClass>(objects);
    tell_all<objects::DeviceTaintRule>(objects);
    tell_all<objects::ResourceSlice>(objects);
    tell_all<objects::ResourceClaimTemplate>(objects);
    tell_all<objects::ResourceClaim>(objects);
    for (const auto& [key, pod] : objects.of<objects::Pod>()) {
      cluster::PodSpec spec = translate::to_spec(pod);
      make_claims(objects, spec);
      if (spec.node.empty() && !spec.finished()) {
        PodTemplate ours = *spec.spec;
        ours.scheduler_name = name;  // every pod without a node is asked about
        spec.spec = std::make_shared<const PodTemplate>(std::move(ours));
      }
      engine_.apply(spec);
    }
    engine_.apply(engine::Synced{});
  }

  Placements run(Time now) {
    for (int step = 0; step < kMostSteps; ++step) {
      const std::vector<engine::Decision> made = engine_.step(now);
      for (const engine::Decision& decision : made) {
        if (const auto* ours = std::get_if<scheduler::Decision>(&decision)) {
          std::visit([this](const auto& d) { take(d); }, *ours);
        }
      }
      if (made.empty() && !engine_.busy()) break;
    }
    for (const ObjectKey& key : groups_) {
      const std::optional<scheduler::GroupView> view = engine_.group_view(key);
      Placements::Group& group = placements_.groups[key];
      if (view && !group.scheduled) group.diagnosis = view->diagnosis;
      if (!view || !group.message.empty() || group.scheduled) continue;
      group.scheduled = view->state == scheduler::GroupView::State::Scheduled;
      group.message = view->message;
      if (group.message.empty() && view->bound + view->held + view->pending < view->required) {
        group.reason = "Unschedulable";
        group.message = "waiting for " +
                        std::to_string(view->required - view->bound - view->held - view->pending) +
                        " more members";
      }
    }
    for (auto& [key, failed] : placements_.pending) {
      failed.devices = engine_.device_shortfall(key);
    }
    return std::move(placements_);
  }

 private:
  template <class T>
  void tell_all(const Objects& objects) {
    for (const auto& [key, object] : objects.of<T>()) engine_.apply(translate::to_spec(object));
  }

  // What kube-controller-manager does for entries that name a template: a claim of the pod's own.
  void make_claims(const Objects& objects, cluster::PodSpec& pod) {
    for (const PodClaim& entry : pod.spec->resource_claims) {
      if (!entry.claim.empty() || pod.claim_names.contains(entry.name)) continue;
      const auto& templates = objects.of<objects::ResourceClaimTemplate>();
      const auto found = templates.find({pod.key.ns, entry.claim_template});
      if (found == templates.end()) continue;
      devices::ClaimObject claim;
      claim.key = {pod.key.ns, pod.key.name + "-" + entry.name};
      claim.uid = "claim-" + pod.uid + "-" + entry.name;
      claim.owner_kind = "Pod";
      claim.owner_name = pod.key.name;
      claim.owner_uid = pod.uid;
      claim.spec = found->second.spec;
      pod.claim_names[entry.name] = claim.key.name;
      engine_.apply(std::move(claim));
    }
  }

  void take(const scheduler::Bind& bind) {
    Placements::Placed& placed = placements_.pods[bind.pod];
    placed = {bind.node, bind.group, {}};
    for (const scheduler::ClaimWrite& write : bind.claims) {
      if (write.allocation == nullptr) continue;
      const std::string name = write.claim.name.empty() ? "extended resources" : write.claim.name;
      for (const dra::AllocatedDevice& each : write.allocation->devices) {
        placed.devices.push_back({name, each.request, each.device.text()});
      }
    }
    placements_.pending.erase(bind.pod);
    engine_.apply(
        engine::BindWritten{bind.pod, bind.pod_uid, bind.node, scheduler::BindResult::Bound, ""});
  }
  void take(const scheduler::PodUnschedulable& pod) {
    placements_.pending[pod.pod] = {pod.reason, pod.message};
  }
  void take(const scheduler::GroupStatus& status) {
    placements_.groups[status.group] = {status.scheduled, status.reason, status.message, {}};
  }
  // A victim leaves at once.
  void take(const scheduler::Evict& evict) {
    placements_.evicted[evict.pod] = evict.preemptor;
    placements_.pods.erase(evict.pod);
    engine_.apply(engine::PodGone{evict.pod, evict.pod_uid});
  }
  void take(const scheduler::Nominate&) {}
  void take(const scheduler::DeleteMember& member) { placements_.pods.erase(member.pod); }
  void take(const scheduler::ReleaseClaim&) {}

  engine::Engine engine_{engine::Roles{.admission = false, .scheduler = true}};
  std::vector<ObjectKey> groups_;
  Placements placements_;
};

std::string device_names(const Placements::Placed& placed) {
  std::string names;
  for (const Placements::Device& each : placed.devices) {
    names += (names.empty() ? "" : " ") + each.device;
  }
  return names;
}

// A Pod's annotation quorate.dev/expect-place says where it should go and with which devices
// ("n1", or "n1: d/n1/gpu-0 d/n1/gpu-1"), or with "!" before it what its refusal should hold.
// False: it does not, and the difference is printed.
bool as_expected(const Objects& objects, const Placements& placements, std::ostream& out) {
  bool holds = true;
  for (const auto& [key, pod] : objects.of<objects::Pod>()) {
    const std::string_view wanted =
        objects::value_of(pod.meta.annotations, "quorate.dev/expect-place");
    if (wanted.empty()) continue;
    std::string found = "nothing";
    bool equal = false;
    if (const auto placed = placements.pods.find(key); placed != placements.pods.end()) {
      const std::string devices = device_names(placed->second);
      found = placed->second.node + (devices.empty() ? "" : ": " + devices);
      equal = wanted == found;
    } else if (const auto failed = placements.pending.find(key);
               failed != placements.pending.end()) {
      found = "!" + failed->second.message + " (" + failed->second.devices + ")";
      equal = wanted.front() == '!' && found.find(wanted.substr(1)) != std::string::npos;
    }
    if (equal) continue;
    holds = false;
    out << "pod " << key.text() << ": expected " << wanted << ", found " << found << "\n";
  }
  return holds;
}

std::string to_json(const Placements& placements) {
  JsonWriter out;
  out.open().key("placed").open_list();
  for (const auto& [key, placed] : placements.pods) {
    out.open().field("pod", std::string_view(key.text()));
    out.field("node", std::string_view(placed.node));
    if (placed.group) out.field("group", std::string_view(placed.group->text()));
    if (!placed.devices.empty()) {
      out.key("devices").open_list();
      for (const Placements::Device& each : placed.devices) {
        out.open().field("claim", std::string_view(each.claim));
        out.field("request", std::string_view(each.request));
        out.field("device", std::string_view(each.device)).close();
      }
      out.close_list();
    }
    out.close();
  }
  out.close_list().key("pending").open_list();
  for (const auto& [key, failed] : placements.pending) {
    out.open().field("pod", std::string_view(key.text()));
    out.field("reason", std::string_view(failed.reason));
    out.field("message", std::string_view(failed.message));
    out.field_unless_empty("devices", failed.devices).close();
  }
  out.close_list().key("groups").open_list();
  for (const auto& [key, group] : placements.groups) {
    out.open().field("group", std::string_view(key.text())).field("scheduled", group.scheduled);
    out.field_unless_empty("reason", group.reason).field_unless_empty("message", group.message);
    if (group.diagnosis.cause != scheduler::GroupCause::None)
      translate::write_diagnosis(out, group.diagnosis);
    out.close();
  }
  out.close_list().key("evicted").open_list();
  for (const auto& [key, preemptor] : placements.evicted) {
    out.open().field("pod", std::string_view(key.text()));
    out.field("preemptor", std::string_view(preemptor.text())).close();
  }
  out.close_list().close();
  return out.take();
}

std::string to_table(const Placements& placements) {
  std::vector<std::vector<std::string>> rows = {{"POD", "NODE", "GROUP", "DEVICES", "WHY NOT"}};
  for (const auto& [key, placed] : placements.pods) {
    rows.push_back({key.text(), placed.node, placed.group ? placed.group->text() : "",
                    device_names(placed), ""});
  }
  for (const auto& [key, failed] : placements.pending) {
    rows.push_back({key.text(), "", "", "",
                    failed.message + (failed.devices.empty() ? "" : " (" + failed.devices + ")")});
  }
  std::string out = table(rows);
  std::vector<std::vector<std::string>> groups = {{"GROUP", "SCHEDULED", "WHY NOT"}};
  for (const auto& [key, group] : placements.groups) {
    const std::string why = group.diagnosis.text();
    groups.push_back(
        {key.text(), group.scheduled ? "yes" : "no", why.empty() ? group.message : why});
  }
  if (groups.size() > 1) out += "\n" + table(groups);
  std::vector<std::vector<std::string>> evicted = {{"EVICTED", "FOR"}};
  for (const auto& [key, preemptor] : placements.evicted) {
    evicted.push_back({key.text(), preemptor.text()});
  }
  if (evicted.size() > 1) out += "\n" + table(evicted);
  return out;
}

// What of the scenario's expectation does not hold, a line each (expect.h).
std::vector<std::string> differences(const Expectation& expect, const Placements& placements) {
  std::vector<std::string> lines;
  const auto differ = [&](const std::string& what, const std::string& want,
                          const std::string& have) {
    if (want == have) return;
    lines.push_back("- " + what + " " + want);
    lines.push_back("+ " + what + " " + have);
  };
  const auto key_of = [](const std::string& name) {
    const std::size_t slash = name.find('/');
    return ObjectKey{name.substr(0, slash), name.substr(slash + 1)};
  };
  for (const ExpectedGroup& want : expect.groups.value_or(std::vector<ExpectedGroup>{})) {
    const auto found = placements.groups.find(key_of(want.group));
    const std::string what = "group: " + want.group;
    if (found == placements.groups.end()) {
      lines.push_back("- " + what);
      continue;
    }
    const Placements::Group& group = found->second;
    if (want.scheduled && *want.scheduled != group.scheduled) {
      lines.push_back((*want.scheduled ? "- " : "+ ") + what + " scheduled");
    }
    if (want.layer) {
      differ(what + " at layer", *want.layer,
             std::string(scheduler::layer_of(group.diagnosis.cause)));
    }
    if (want.cause) {
      differ(what + " for", *want.cause, std::string(scheduler::name_of(group.diagnosis.cause)));
    }
    if (want.diagnosis) differ(what + ":", *want.diagnosis, group.diagnosis.text());
  }
  if (expect.pods) {
    Labels have;
    for (const auto& [key, placed] : placements.pods) have[key.text()] = placed.node;
    for (const auto& [name, node] : *expect.pods) {
      if (have[name] != node) lines.push_back("- pod: " + name + " on " + node);
    }
    for (const auto& [name, node] : have) {
      const auto want = expect.pods->find(name);
      if (!node.empty() && (want == expect.pods->end() || want->second != node)) {
        lines.push_back("+ pod: " + name + " on " + node);
      }
    }
  }
  if (expect.victims) {
    std::set<ObjectKey> want;
    for (const std::string& name : *expect.victims) want.insert(key_of(name));
    for (const ObjectKey& key : want) {
      if (!placements.evicted.contains(key)) lines.push_back("- victim: " + key.text());
    }
    for (const auto& [key, preemptor] : placements.evicted) {
      if (!want.contains(key)) lines.push_back("+ victim: " + key.text());
    }
  }
  return lines;
}

}  // namespace

int op_place(const Options& options, const Streams& streams) {
  if (!options.nodes_file.empty() || !options.pods_file.empty()) return op_pack(options, streams);
  std::optional<Inputs> inputs = read_inputs(options, streams);
  if (!inputs) return kUnusable;
  Objects& objects = inputs->loaded.objects;
  const Time now = inputs->now.value_or(start_of(objects));
  Identities identities;
  complete(objects, now, identities);
  const Placements placements = Placer(objects).run(now);
  const std::string format = format_of(options, streams);
  if (format == "table") {
    streams.out << to_table(placements);
  } else {
    const std::string json = to_json(placements);
    streams.out << (format == "yaml" ? yaml_of_json(json) : json + "\n");
  }
  bool holds = as_expected(objects, placements, streams.err);
  if (inputs->loaded.scenario) {
    const std::vector<std::string> lines = differences(inputs->loaded.scenario->expect, placements);
    if (!lines.empty()) {
      streams.err << "the scenario's expectation does not hold (- expected, + found):\n";
      for (const std::string& line : lines) streams.err << "  " << line << "\n";
      holds = false;
    }
  }
  return holds ? kRan : kNotAsExpected;
}

}  // namespace quorate::simulate
