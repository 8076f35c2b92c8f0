#include "src/kube/json_meta.h"

#include "src/kube/annotations.h"
#include "src/kube/json_scan.h"

namespace quorate::kube {
namespace {

std::string text(std::string_view raw) { return string_value(raw).value_or(""); }

bool is_initial_events_end(std::string_view annotations) {
  bool found = false;
  (void)each_member(annotations, [&](std::string_view key, std::string_view value) {
    found = key == kInitialEventsEnd && value == "\"true\"";
    return !found;
  });
  return found;
}

}  // namespace

Outcome<JsonMeta> read_json_meta(std::string_view object) {
  std::string_view metadata;
  const Outcome<void> outer =
      each_member(object, [&](std::string_view key, std::string_view value) {
        if (key == "metadata") metadata = value;
        return metadata.empty();
      });
  if (!outer) return tl::unexpected(outer.error());
  if (metadata.empty()) return error(Errc::Invalid, "object without metadata");

  JsonMeta out;
  const Outcome<void> inner =
      each_member(metadata, [&](std::string_view key, std::string_view value) {
        if (key == "name") out.meta.key.name = text(value);
        if (key == "namespace") out.meta.key.ns = text(value);
        if (key == "uid") out.meta.uid = text(value);
        if (key == "resourceVersion") out.meta.resource_version = text(value);
        if (key == "annotations") out.initial_events_end = is_initial_events_end(value);
        return true;
      });
  if (!inner) return within("metadata", inner.error());
  return out;
}

Outcome<ListMeta> read_json_list(std::string_view list,
                                 const std::function<void(const RawObject& item)>& item) {
  ListMeta out;
  Outcome<void> items;
  bool has_items = false;
  const Outcome<void> outer = each_member(list, [&](std::string_view key, std::string_view value) {
    if (key == "metadata") {
      (void)each_member(value, [&](std::string_view name, std::string_view field) {
        if (name == "resourceVersion") out.resource_version = text(field);
        if (name == "continue") out.continue_token = text(field);
        return true;
      });
    } else if (key == "items") {
      has_items = true;
      items = each_element(value, [&](std::string_view element) {
        item(RawObject{Format::Json, element});
        return true;
      });
    }
    return items.has_value();
  });
  if (!outer) return within("list", outer.error());
  if (!items) return within("list items", items.error());
  if (!has_items) return error(Errc::Invalid, "list: no items");
  return out;
}

Outcome<Status> read_json_status(std::string_view object) {
  Status out;
  const Outcome<void> read = each_member(object, [&](std::string_view key, std::string_view value) {
    if (key == "message") out.message = text(value);
    if (key == "reason") out.reason = text(value);
    if (key == "code") out.code = static_cast<int>(integer_value(value).value_or(0));
    if (key == "details") {
      (void)each_member(value, [&](std::string_view name, std::string_view field) {
        if (name == "retryAfterSeconds") {
          out.retry_after_seconds = static_cast<int>(integer_value(field).value_or(0));
        }
        return true;
      });
    }
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return out;
}

}  // namespace quorate::kube
