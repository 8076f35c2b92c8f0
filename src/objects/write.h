#pragma once

#include "src/objects/json_writer.h"
#include "src/objects/meta.h"
#include "src/objects/workload.h"

// Writers shared by the encoders.
namespace quorate::objects {

// apiVersion and kind.
void write_type(JsonWriter& out, std::string_view api_version, std::string_view kind);
// "metadata" of a whole object: what a create carries.
void write_meta(JsonWriter& out, const ObjectMeta& meta);
// Member `name` with the list; nothing when it is empty.
void write_conditions(JsonWriter& out, std::string_view name,
                      const std::vector<Condition>& conditions);
void write_condition(JsonWriter& out, const Condition& condition);
void write_toleration(JsonWriter& out, const Toleration& toleration);
// {"metadata":{"resourceVersion":...},... opened; the caller writes more members and closes.
JsonWriter open_patch(std::string_view resource_version);
void write_pod_sets(JsonWriter& out, const std::vector<PodSet>& pod_sets);
// Members of a Workload's status, without braces.
void write_status_members(JsonWriter& out, const WorkloadStatus& status);

}  // namespace quorate::objects
