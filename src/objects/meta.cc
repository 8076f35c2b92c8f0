#include "src/objects/meta.h"

#include <algorithm>

namespace quorate::objects {
namespace {

constexpr std::size_t kMaxMessage = 32768;
constexpr std::string_view kCut = " ...";

void cut_message(std::string& message) {
  if (message.size() <= kMaxMessage) return;
  std::size_t end = kMaxMessage - kCut.size();
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  message.resize(end);
  message += kCut;
}

}  // namespace

std::string_view value_of(const Labels& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string_view{} : std::string_view(found->second);
}

const OwnerReference* controller_of(const ObjectMeta& meta) {
  const auto found = std::ranges::find(meta.owners, true, &OwnerReference::controller);
  return found == meta.owners.end() ? nullptr : &*found;
}

bool has_finalizer(const ObjectMeta& meta, std::string_view finalizer) {
  return std::ranges::find(meta.finalizers, finalizer) != meta.finalizers.end();
}

std::string_view text_of(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::Unknown:
      return "Unknown";
    case ConditionStatus::False:
      return "False";
    case ConditionStatus::True:
      return "True";
  }
  return "Unknown";
}

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool is_true(const std::vector<Condition>& conditions, std::string_view type) {
  const Condition* found = find_condition(conditions, type);
  return found != nullptr && found->status == ConditionStatus::True;
}

bool set_condition(std::vector<Condition>& conditions, Condition wanted, Time now) {
  cut_message(wanted.message);
  const auto found = std::ranges::find(conditions, wanted.type, &Condition::type);
  if (found == conditions.end()) {
    wanted.last_transition = now;
    conditions.push_back(std::move(wanted));
    return true;
  }
  wanted.last_transition = found->status == wanted.status ? found->last_transition : now;
  if (*found == wanted) return false;
  *found = std::move(wanted);
  return true;
}

bool remove_condition(std::vector<Condition>& conditions, std::string_view type) {
  return std::erase_if(conditions, [&](const Condition& c) { return c.type == type; }) > 0;
}

}  // namespace quorate::objects
