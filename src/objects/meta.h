#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/time.h"

namespace quorate::objects {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// What we keep of metav1.ObjectMeta. Managed fields and kubectl's last-applied annotation are
// never kept: nothing of ours reads them and they are most of an object's bytes.
struct ObjectMeta {
  ObjectKey key;
  std::string generate_name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  Labels labels;
  Labels annotations;
  std::vector<OwnerReference> owners;
  std::vector<std::string> finalizers;
  Time created;                 // the epoch for an object that no server has seen
  std::optional<Time> deleted;  // set: the object is being deleted

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// The value under `key`, or "" when there is none.
std::string_view value_of(const Labels& labels, std::string_view key);
const OwnerReference* controller_of(const ObjectMeta& meta);  // nullptr: nobody controls it
bool has_finalizer(const ObjectMeta& meta, std::string_view finalizer);

enum class ConditionStatus { Unknown, False, True };
std::string_view text_of(ConditionStatus status);

// metav1.Condition, and the older per-kind conditions that have a subset of its fields.
struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason;
  std::string message;
  std::int64_t observed_generation = 0;  // 0: unset
  Time last_transition;

  friend bool operator==(const Condition&, const Condition&) = default;
};

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);
bool is_true(const std::vector<Condition>& conditions, std::string_view type);

// Puts `wanted` in the place of the condition of its type, or at the end. lastTransitionTime
// becomes `now` for a new condition and when the status flips; otherwise the old one stays and the
// one in `wanted` is ignored. The message is cut at 32768 bytes with " ...". True if anything
// changed.
bool set_condition(std::vector<Condition>& conditions, Condition wanted, Time now);
bool remove_condition(std::vector<Condition>& conditions, std::string_view type);

// metav1.Status as the API server answers errors.
struct ApiStatus {
  std::int32_t code = 0;
  std::string reason;  // NotFound, AlreadyExists, Conflict, Expired, ...
  std::string message;
  std::int32_t retry_after_seconds = 0;

  friend bool operator==(const ApiStatus&, const ApiStatus&) = default;
};

}  // namespace quorate::objects
