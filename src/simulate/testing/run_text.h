#pragma once

#include <sstream>
#include <string>

#include "src/simulate/command.h"

namespace quorate::simulate::testing {

struct Ran {
  int status = -1;
  std::string out, err;
};

// The command on a text that it reads from standard input.
inline Ran run_text(const std::string& input, Options options = {}) {
  if (options.files.empty() && options.batch_file.empty()) options.files = {"-"};
  std::istringstream in(input);
  std::ostringstream out, err;
  Ran ran;
  ran.status = simulate(options, {.in = in, .out = out, .err = err});
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

// One flavor "f" and a ClusterQueue with a LocalQueue of the same name in namespace "team".
inline std::string queue(const std::string& name, const std::string& cpu,
                         const std::string& more = "") {
  return R"(---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: )" +
         name + R"(}, spec: {namespaceSelector: {}, )" + more +
         R"(resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: )" +
         cpu + R"(}]}]}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: )" +
         name + R"(, namespace: team}, spec: {clusterQueue: )" + name + "}}\n";
}

inline std::string flavor(const std::string& name = "f") {
  return "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: " +
         name + "}}\n";
}

// `count` pods of `cpu` each; `more` are further fields of the spec, each followed by a comma.
inline std::string workload(const std::string& name, const std::string& queue_name,
                            const std::string& cpu, int second = 0, int count = 1,
                            const std::string& more = "") {
  const std::string at = std::to_string(100 + second % 60).substr(1);
  return R"(---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: )" +
         name + R"(, namespace: team, creationTimestamp: "2026-01-01T09:00:)" + at +
         R"(Z"}, spec: {queueName: )" + queue_name + ", " + more +
         "podSets: [{name: main, count: " + std::to_string(count) +
         R"(, template: {spec: {containers: [{name: c, resources: {requests: {cpu: )" + cpu +
         "}}}]}}}]}}\n";
}

}  // namespace quorate::simulate::testing
