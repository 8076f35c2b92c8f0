// Any bytes are a review that gets an answer, or an error; answers are JSON and carry patches only
// when they allow.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/check.h"
#include "src/objects/job_webhook.h"
#include "src/objects/json.h"

namespace {

using quorate::check;
using namespace quorate::objects;

void look_at(const quorate::Outcome<std::string>& answer) {
  if (!answer) return;
  JsonDocument document;
  check(document.parse(*answer).has_value(), "an answer is JSON");
  const Json response = document.root()["response"];
  check(!response["uid"].text().empty(), "an answer names its question");
  check(response["allowed"].boolean() || !response["patch"].present(), "no patch with a refusal");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const JobWebhookView view{
      .namespace_selected = [](std::string_view) { return true; },
      .has_default_queue = [](std::string_view ns) { return ns == "default"; },
      .has_default_priority_class = [] { return true; },
      .owner_managed = [](std::string_view, const OwnerReference& o) { return o.kind == "A"; },
      .group_name = [](std::string_view job) { return "g-" + std::string(job); }};
  for (const bool native : {false, true}) {
    const JobWebhookSettings settings{
        .manage_jobs_without_queue_name = native, .gang_placement = true, .native_groups = native};
    look_at(mutate_job(text, settings, view, "x"));
    look_at(validate_job(text, settings, view));
  }
  return 0;
}
