#pragma once

// A quota tree with weights and usage, written in the notation of quota/testing/notation.h.

#include <string>

#include "fairshare/sharing.h"
#include "quota/testing/notation.h"

namespace quorate::fairshare::testing {

struct World {
  World(const std::string& queues, const std::string& usage) {
    for (const std::string& text : quota::testing::items(queues)) add(text);
    settle();
    for (const std::string& text : quota::testing::items(usage)) {
      const quota::testing::UsageLine used = quota::testing::parse_usage(text);
      for (const auto& [flavor, resource, amount] : used.amounts) {
        tree.charge(tree.cluster_queue(used.queue), names.pair(flavor, resource), amount);
      }
    }
  }

  void put(const std::string& text) {
    add(text);
    settle();
  }

  quota::NodeId node(const std::string& name) const {
    const quota::NodeId queue = tree.cluster_queue(name);
    return queue ? queue : tree.cohort(name);
  }

  Journal journal;
  quota::Names names;
  quota::CohortTree tree{journal};
  Sharing sharing;

 private:
  void add(const std::string& text) {
    const quota::testing::QueueLine line = quota::testing::parse_queue(text);
    if (line.cohort) {
      tree.put_cohort(line.name, line.parent, line.groups, names);
    } else {
      tree.put_cluster_queue(line.name, line.parent, line.groups, names);
    }
    const auto weight = line.options.find("weight");
    if (weight != line.options.end()) {
      sharing.set_weight(node(line.name), std::stoi(weight->second) * kWeightOne);
    }
  }
  void settle() {
    tree.settle();
    sharing.shape_changed();
  }
};

}  // namespace quorate::fairshare::testing
