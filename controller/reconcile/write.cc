#include "controller/reconcile/write.h"

#include "src/base/check.h"
#include "src/objects/json_writer.h"

namespace quorate::controller {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

constexpr std::string_view kManager = "quorate";

// The list of gates is merged by name, so that gates of others stay as they are.
std::string ungate_patch(const UngatePod& ungate) {
  objects::JsonWriter out;
  out.open().key("metadata").open().field("uid", ungate.uid).close();
  out.key("spec").open();
  if (!ungate.node_selector.empty()) out.map("nodeSelector", ungate.node_selector);
  out.key("schedulingGates").open_list();
  for (const std::string& gate : ungate.gates) {
    out.open().field("$patch", "delete").field("name", gate).close();
  }
  return out.close_list().close().close().take();
}

std::string fail_patch(const FailPod& fail) {
  const objects::Condition& condition = fail.condition;
  objects::JsonWriter out;
  out.open().key("metadata").open().field("uid", fail.uid).close();
  out.key("status").open().key("conditions").open_list().open();
  out.field("lastTransitionTime", format_time(condition.last_transition));
  out.field("message", condition.message).field("reason", condition.reason);
  out.field("status", objects::text_of(condition.status)).field("type", condition.type);
  out.close().close_list().field("phase", "Failed");
  return out.close().close().take();
}

// Of a SetAnnotation or SetLabel.
template <class Set>
std::string meta_patch(const Set& set, std::string_view map) {
  objects::JsonWriter body;
  body.open().key("metadata").open();
  body.field("resourceVersion", set.resource_version).key(map).open();
  body.key(set.name);
  set.value.empty() ? body.null() : body.text(set.value);
  return body.close().close().close().take();
}

}  // namespace

kube::Resource resource_of(const objects::KindInfo& kind) {
  return {std::string(kind.group), std::string(kind.version), std::string(kind.plural),
          std::string(kind.kind), kind.namespaced};
}

kube::ApiRequest to_request(const Write& write) {
  using kube::PatchKind;
  const kube::WriteOptions plain{.field_manager = std::string(kManager)};
  const kube::WriteOptions status{.subresource = "status", .field_manager = std::string(kManager)};
  const kube::Resource workloads = resource_of(objects::kinds::kWorkload);
  return std::visit(
      Overloaded{
          [&](const CreateWorkload& w) {
            return kube::create(workloads, w.workload.meta.key, objects::encode_json(w.workload),
                                plain);
          },
          [&](const PatchWorkloadSpec& w) {
            return kube::patch(workloads, w.key, PatchKind::Merge,
                               objects::workload_spec_patch(w.resource_version, w.change), plain);
          },
          [&](const DeleteWorkload& w) {
            return kube::remove(workloads, w.key, {.uid = w.uid, .propagation = "Background"});
          },
          [&](const ApplyWorkloadStatus& w) {
            return kube::apply(
                workloads, w.key, objects::workload_status_apply(w.key, w.uid, "", w.status),
                kube::Force::Yes, {.subresource = "status", .field_manager = w.manager});
          },
          [&](const ReleaseQuota&) -> kube::ApiRequest {
            invariant_broken("ReleaseQuota has a writer of its own");
          },
          [&](const SetFinalizers& w) {
            return kube::patch(resource_of(w.kind), w.key, PatchKind::Merge,
                               objects::finalizers_patch(w.resource_version, w.finalizers), plain);
          },
          [&](const PatchJob& w) {
            return kube::patch(
                kube::jobs(), w.current.meta.key, PatchKind::Merge,
                objects::job_patch(w.current, w.current.meta.resource_version, w.change), plain);
          },
          [&](const ClearJobStart& w) {
            return kube::patch(kube::jobs(), w.key, PatchKind::Merge,
                               objects::job_clear_start_patch(w.resource_version), status);
          },
          [&](const CreatePodGroup& w) {
            return kube::create(resource_of(objects::kind_of(w.group.api)), w.group.meta.key,
                                objects::encode_json(w.group), plain);
          },
          [&](const SetGroupMinimum& w) {
            const std::string count = std::to_string(w.minimum);
            const std::string meta =
                R"({"metadata":{"resourceVersion":")" + w.resource_version + R"("},"spec":{)";
            const std::string body =
                w.api == objects::PodGroupApi::Fallback
                    ? meta + R"("minMember":)" + count + "}}"
                    : meta + R"("schedulingPolicy":{"gang":{"minCount":)" + count + "}}}}";
            return kube::patch(resource_of(objects::kind_of(w.api)), w.key, PatchKind::Merge, body,
                               plain);
          },
          [&](const DeleteOwner& w) {
            return kube::remove(w.resource, w.key, {.uid = w.uid, .propagation = "Background"});
          },
          [&](const DeletePod& w) { return kube::remove(kube::pods(), w.key, {.uid = w.uid}); },
          [&](const SetAnnotation& w) {
            return kube::patch(resource_of(w.kind), w.key, PatchKind::Merge,
                               meta_patch(w, "annotations"), plain);
          },
          [&](const kube::Event&) -> kube::ApiRequest {
            invariant_broken("events have a writer of their own");
          },
          [&](const RecordFailedNodes&) -> kube::ApiRequest {
            invariant_broken("RecordFailedNodes has a writer of its own");
          },
          [&](const UngatePod& w) {
            return kube::patch(kube::pods(), w.key, PatchKind::Strategic, ungate_patch(w), plain);
          },
          [&](const FailPod& w) {
            return kube::patch(kube::pods(), w.key, PatchKind::Strategic, fail_patch(w), status);
          },
          [&](const FollowFamily&) -> kube::ApiRequest {
            invariant_broken("FollowFamily has a writer of its own");
          },
          [&](const SetLabel& w) {
            return kube::patch(resource_of(w.kind), w.key, PatchKind::Merge,
                               meta_patch(w, "labels"), plain);
          },
      },
      write);
}

std::string describe(const Write& write) {
  return std::visit(
      Overloaded{
          [](const CreateWorkload& w) { return "create Workload " + w.workload.meta.key.text(); },
          [](const PatchWorkloadSpec& w) { return "patch Workload " + w.key.text(); },
          [](const DeleteWorkload& w) { return "delete Workload " + w.key.text(); },
          [](const ApplyWorkloadStatus& w) {
            return "apply status of Workload " + w.key.text() + " as " + w.manager;
          },
          [](const ReleaseQuota& w) { return "release quota of Workload " + w.key.text(); },
          [](const SetFinalizers& w) {
            return "set finalizers of " + std::string(w.kind.kind) + " " + w.key.text();
          },
          [](const PatchJob& w) { return "patch Job " + w.current.meta.key.text(); },
          [](const ClearJobStart& w) { return "clear start time of Job " + w.key.text(); },
          [](const CreatePodGroup& w) { return "create PodGroup " + w.group.meta.key.text(); },
          [](const SetGroupMinimum& w) { return "set minimum of PodGroup " + w.key.text(); },
          [](const DeleteOwner& w) { return "delete " + w.resource.kind + " " + w.key.text(); },
          [](const DeletePod& w) { return "delete Pod " + w.key.text(); },
          [](const SetAnnotation& w) {
            return "set annotation " + w.name + " of " + std::string(w.kind.kind) + " " +
                   w.key.text();
          },
          [](const kube::Event& e) {
            return "event " + e.reason + " on " + e.regarding.key.text();
          },
          [](const RecordFailedNodes& w) {
            return "record failed nodes of Workload " + w.key.text();
          },
          [](const UngatePod& w) { return "ungate Pod " + w.key.text(); },
          [](const FailPod& w) { return "fail Pod " + w.key.text(); },
          [](const FollowFamily& w) { return "follow the family of Workload " + w.key.text(); },
          [](const SetLabel& w) {
            return "set label " + w.name + " of " + std::string(w.kind.kind) + " " + w.key.text();
          },
      },
      write);
}

}  // namespace quorate::controller
