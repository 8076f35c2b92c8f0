#include "src/simulate/read_scenario.h"

#include <algorithm>
#include <initializer_list>

#include "src/objects/read.h"
#include "src/simulate/kind_table.h"

namespace quorate::simulate {
namespace {

using objects::Json;

// A misspelt field would make a test pass that tests nothing.
void only(Json json, std::initializer_list<std::string_view> known) {
  json.members([&](std::string_view key, Json value) {
    if (std::ranges::find(known, key) == known.end()) value.fail("unknown field");
  });
}

Duration read_duration(Json json) {
  const Duration duration = json.maybe_duration().value_or(Duration{});
  if (duration.nanos < 0) json.invalid("must not be negative");
  return duration;
}

std::string whole_name(Json json) {
  const std::string name = json.required_text();
  if (std::ranges::count(name, '/') != 1) json.invalid("must be NAMESPACE/NAME");
  return name;
}

const Kind* kind_in(Json json, bool version_required) {
  const std::string version =
      version_required ? json["apiVersion"].required_text() : json["apiVersion"].text();
  const std::string name = json["kind"].required_text();
  const Kind* kind = find_kind(version, name);
  if (kind == nullptr && !name.empty()) json["kind"].fail(unknown_kind(version, name));
  return kind;
}

void read_apply(Json json, Objects& into) {
  const Kind* kind = kind_in(json, true);
  if (kind == nullptr) return;
  const ObjectKey key = key_of(json, *kind);
  if (!kind->read(json, json["apiVersion"].text(), key, into)) {
    json.fail("the object stands twice in one step");
  }
  if (kind->faults == nullptr || kind->kind == "Workload") return;
  for (const std::string& fault : kind->faults(into, key)) json.fail(fault);
}

Deletion read_deletion(Json json) {
  only(json, {"apiVersion", "kind", "name", "namespace"});
  Deletion deletion{.kind = kind_in(json, false)};
  deletion.key.name = json["name"].required_text();
  if (deletion.kind != nullptr && deletion.kind->namespaced) {
    deletion.key.ns = json["namespace"].text("default");
  }
  return deletion;
}

Step read_step(Json json) {
  only(json, {"at", "apply", "delete", "cycles", "settle"});
  Step step;
  if (json["at"].present()) step.at = read_duration(json["at"]);
  json["delete"].each([&](Json each) { step.remove.push_back(read_deletion(each)); });
  json["apply"].each([&](Json each) { read_apply(each, step.apply); });
  if (json["cycles"].present()) {
    step.cycles = json["cycles"].int64();
    if (*step.cycles < 1) json["cycles"].invalid("must be greater than 0");
  }
  step.settle = json["settle"].boolean();
  return step;
}

Runtime read_runtime(Json json) {
  only(json, {"selector", "duration", "podsReady"});
  if (!json["duration"].present() && !json["podsReady"].present()) {
    json["duration"].fail("Required value");
  }
  Runtime runtime{.selector = objects::read_label_selector(json["selector"])};
  if (json["duration"].present()) runtime.duration = read_duration(json["duration"]);
  runtime.never_ready = json["podsReady"].maybe_text() == "never";
  if (json["podsReady"].present() && !runtime.never_ready) {
    runtime.ready_after = read_duration(json["podsReady"]);
  }
  return runtime;
}

// {a: {b: {c: v}}} as "a/b/c": v.
void flatten(Json json, const std::string& prefix, int levels, Labels& into) {
  json.members([&](std::string_view key, Json value) {
    const std::string name = prefix.empty() ? std::string(key) : prefix + "/" + std::string(key);
    if (levels > 1) {
      flatten(value, name, levels - 1, into);
    } else {
      into[name] = value.text();
    }
  });
}

template <class T, class Read>
std::optional<std::vector<T>> maybe_list(Json json, Read read) {
  if (!json.present()) return std::nullopt;
  std::vector<T> all;
  json.each([&](Json each) { all.push_back(read(each)); });
  return all;
}

Expectation read_expectation(Json json) {
  only(json, {"admitted", "preempted", "evicted", "pending", "flavors", "places", "usage",
              "finished", "groups", "pods", "victims"});
  Expectation expect;
  expect.admitted = maybe_list<std::string>(json["admitted"], whole_name);
  expect.finished = maybe_list<std::string>(json["finished"], whole_name);
  const auto leaver = [](Json each) {
    only(each, {"workload", "reason", "preemptor"});
    return ExpectedPreemption{whole_name(each["workload"]), each["reason"].maybe_text(),
                              each["preemptor"].maybe_text()};
  };
  expect.preempted = maybe_list<ExpectedPreemption>(json["preempted"], leaver);
  expect.evicted = maybe_list<ExpectedPreemption>(json["evicted"], leaver);
  expect.pending = maybe_list<ExpectedWait>(json["pending"], [](Json each) {
    only(each, {"workload", "reason", "layer", "message"});
    return ExpectedWait{whole_name(each["workload"]), each["reason"].maybe_text(),
                        each["layer"].maybe_text(), each["message"].maybe_text()};
  });
  if (json["flavors"].present()) flatten(json["flavors"], "", 3, expect.flavors.emplace());
  if (json["places"].present()) flatten(json["places"], "", 2, expect.places.emplace());
  if (json["usage"].present()) flatten(json["usage"], "", 3, expect.usage.emplace());
  expect.groups = maybe_list<ExpectedGroup>(json["groups"], [](Json each) {
    only(each, {"group", "scheduled", "layer", "cause", "diagnosis"});
    return ExpectedGroup{whole_name(each["group"]), each["scheduled"].maybe_boolean(),
                         each["layer"].maybe_text(), each["cause"].maybe_text(),
                         each["diagnosis"].maybe_text()};
  });
  if (json["pods"].present()) flatten(json["pods"], "", 1, expect.pods.emplace());
  expect.victims = maybe_list<std::string>(json["victims"], whole_name);
  return expect;
}

}  // namespace

Scenario read_scenario(Json document) {
  only(document, {"apiVersion", "kind", "metadata", "spec"});
  const Json spec = document["spec"];
  only(spec, {"steps", "runtimes", "expect"});
  Scenario scenario;
  Duration latest;
  spec["steps"].each([&](Json each) {
    Step step = read_step(each);
    if (step.at && *step.at < latest) each["at"].invalid("lies before an earlier step");
    if (step.at) latest = *step.at;
    scenario.steps.push_back(std::move(step));
  });
  spec["runtimes"].each([&](Json each) { scenario.runtimes.push_back(read_runtime(each)); });
  scenario.expect = read_expectation(spec["expect"]);
  return scenario;
}

}  // namespace quorate::simulate
