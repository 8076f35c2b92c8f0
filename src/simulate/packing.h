#pragma once

// How well a cluster with whole and shared GPUs is packed by different scores: pods arrive one by
// one, each goes to the node with the best score or is turned away, nobody leaves.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::simulate {

// GPUs of a node are told apart: a pod that asks for a part of one is put on one of them, a pod
// that asks for several takes whole free ones.
struct PackingNode {
  std::string name;
  std::string model;        // "" if it has no GPU
  std::int64_t cpu = 0;     // milli
  std::int64_t memory = 0;  // MiB
  std::int32_t gpus = 0;
};

struct PackingPod {
  std::string name;
  std::int64_t cpu = 0;     // milli
  std::int64_t memory = 0;  // MiB
  std::int32_t gpus = 0;
  std::int32_t gpu_milli = 0;       // of each; below 1000 only where gpus is 1
  std::vector<std::string> models;  // those that will do; empty: any

  std::int64_t milli() const { return std::int64_t{gpus} * gpu_milli; }
};

enum class PackingScore {
  Random,
  DotProd,     // smallest dot product of what is free and what is asked for (Tetris, SIGCOMM 2014)
  Clustering,  // nodes whose pods ask for as many GPUs (Gandiva, OSDI 2018)
  Packing,     // GPUs in use, then free ones of nodes in use, then idle nodes
  BestFit,     // least left over of CPU and GPU together
  Fgd,         // least growth of fragmentation (FGD, USENIX ATC 2023)
  Shapes,      // the default: what can still be placed, by shape (docs/packing.md)
};
// "random", "dotprod", "clustering", "packing", "bestfit", "fgd", "shapes".
std::string_view name_of(PackingScore score);

struct PackingResult {
  std::int64_t capacity = 0;   // GPU milli of all nodes
  std::int64_t arrived = 0;    // GPU milli asked for so far
  std::int64_t allocated = 0;  // GPU milli given out
  std::int64_t placed = 0;     // pods
  std::int64_t refused = 0;
  std::vector<std::int32_t> node_of;  // by arrival: index of the node, -1 if refused

  // Hundredths of a per cent of the capacity.
  std::int64_t allocation() const { return capacity == 0 ? 0 : allocated * 10'000 / capacity; }
};

// The order in which pods of a list arrive: shuffled by the seed, repeated or cut so that they ask
// for `per_cent` of the GPUs. Equal on every machine.
std::vector<std::size_t> arrivals(const std::vector<PackingNode>& nodes,
                                  const std::vector<PackingPod>& pods, std::uint64_t seed,
                                  std::int64_t per_cent);

// Places the pods in the given order; of nodes with equal scores the first one gets the pod, and
// the seed is that of Random. Scores that look at what is likely to come (Fgd, Shapes) know the
// list of pods, not their order.
PackingResult pack(const std::vector<PackingNode>& nodes, const std::vector<PackingPod>& pods,
                   const std::vector<std::size_t>& order, PackingScore score, std::uint64_t seed);

}  // namespace quorate::simulate
