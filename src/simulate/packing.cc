#include "src/simulate/packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace quorate::simulate {
namespace {

constexpr std::int32_t kWholeGpu = 1000;
// The largest node of the trace, by which scores make CPU and GPU comparable.
constexpr std::int64_t kMostCpu = 128'000;
constexpr std::int64_t kMostGpu = 8'000;

// splitmix64 (Steele et al., OOPSLA 2014): the same numbers everywhere, unlike <random>'s
// distributions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // Below n > 0; the bias is beneath 2^-32 for any n that occurs here.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }

 private:
  std::uint64_t state_;
};

// Pods that differ in name only.
struct Shape {
  std::int64_t cpu = 0, memory = 0;
  std::int32_t gpus = 0, milli = 0;
  std::vector<std::string> models;

  bool shared() const { return gpus == 1 && milli < kWholeGpu; }
  auto key() const { return std::tie(cpu, memory, gpus, milli, models); }
  friend bool operator<(const Shape& a, const Shape& b) { return a.key() < b.key(); }
};

Shape shape_of(const PackingPod& pod) {
  return {pod.cpu, pod.memory, pod.gpus, pod.gpus > 0 ? pod.gpu_milli : 0, pod.models};
}

// A kind of pod that is likely to come.
struct Likely {
  Shape shape;
  std::int64_t count = 0;
};

struct NodeState {
  std::int64_t cpu = 0, memory = 0;
  std::vector<std::int32_t> left;             // milli, by GPU
  std::map<std::int32_t, std::int32_t> pods;  // that ask for GPUs: by how many, 0 for a share
  const PackingNode* node = nullptr;

  std::int64_t gpu_left() const {
    return std::accumulate(left.begin(), left.end(), std::int64_t{0});
  }
};

bool accepts(const NodeState& at, const Shape& pod) {
  if (pod.models.empty()) return true;
  return std::ranges::find(pod.models, at.node->model) != pod.models.end();
}

std::int32_t gpus_with(const NodeState& at, std::int32_t milli) {
  return static_cast<std::int32_t>(
      std::ranges::count_if(at.left, [&](std::int32_t left) { return left >= milli; }));
}

bool fits(const NodeState& at, const Shape& pod) {
  return at.cpu >= pod.cpu && at.memory >= pod.memory &&
         (pod.gpus == 0 || (accepts(at, pod) && gpus_with(at, pod.milli) >= pod.gpus));
}

// The GPU with least left that still takes the share; whole GPUs for others, in their order.
void place(NodeState& at, const Shape& pod, int gpu) {
  at.cpu -= pod.cpu;
  at.memory -= pod.memory;
  if (pod.gpus == 0) return;
  ++at.pods[pod.shared() ? 0 : pod.gpus];
  if (gpu >= 0) {
    at.left[static_cast<std::size_t>(gpu)] -= pod.milli;
    return;
  }
  std::int32_t open = pod.gpus;
  for (std::int32_t& left : at.left) {
    if (open == 0) break;
    if (left < pod.milli) continue;
    left -= pod.milli;
    --open;
  }
}

int tightest(const NodeState& at, const Shape& pod) {
  if (!pod.shared()) return -1;
  int best = -1;
  for (std::size_t i = 0; i < at.left.size(); ++i) {
    if (at.left[i] < pod.milli) continue;
    if (best < 0 || at.left[i] < at.left[static_cast<std::size_t>(best)])
      best = static_cast<int>(i);
  }
  return best;
}

struct Choice {
  std::int64_t score = 0;  // higher is better
  int gpu = -1;            // for a share
};

// --- scores; sources in the header ---

std::int64_t dot_product(const NodeState& at, const Shape& pod) {
  // 100 * (1 - (free.cpu * cpu + free.gpu * gpu) / 2), cut to a whole number, as published.
  const double dot =
      static_cast<double>(at.cpu) * static_cast<double>(pod.cpu) / (kMostCpu * kMostCpu) +
      static_cast<double>(at.gpu_left()) * static_cast<double>(pod.gpus * pod.milli) /
          (kMostGpu * kMostGpu);
  return static_cast<std::int64_t>(100.0 * (1.0 - dot / 2));
}

std::int64_t clustering(const NodeState& at, const Shape& pod) {
  if (pod.gpus == 0) return 0;
  const std::int64_t used = 25 * (kMostGpu - at.gpu_left()) / kMostGpu;
  const bool known = at.pods.contains(pod.shared() ? 0 : pod.gpus);
  if (known) return used + (at.pods.size() == 1 ? 75 : 50);
  return used + (at.pods.empty() ? 25 : 0);
}

std::int64_t gpu_packing(const NodeState& at, const Shape& pod) {
  if (pod.gpus == 0) return 0;
  const auto free = static_cast<std::int64_t>(gpus_with(at, kWholeGpu));
  if (free == at.node->gpus) return std::max(33 - free, free);
  std::vector<std::int32_t> left = at.left;
  std::ranges::sort(left);
  std::int64_t from_free = 0;
  std::int64_t left_on_used = 0;
  std::int32_t open = pod.gpus;
  for (const std::int32_t gpu : left) {
    if (open == 0) break;
    if (gpu < pod.milli) continue;
    --open;
    from_free += gpu == kWholeGpu ? 1 : 0;
    left_on_used += gpu * 100 / kWholeGpu;
  }
  if (from_free > 0) return std::max<std::int64_t>(50 - from_free, 33);
  return std::max<std::int64_t>(100 - left_on_used / 10, 50);
}

std::int64_t best_fit(const NodeState& at, const Shape& pod) {
  const double left = 0.5 * static_cast<double>(at.cpu - pod.cpu) / kMostCpu +
                      0.5 * static_cast<double>(at.gpu_left() - pod.gpus * pod.milli) / kMostGpu;
  return static_cast<std::int64_t>((1.0 - left) * 100);
}

// GPU milli of the node that pods of these kinds could not use, times how many of each are likely.
std::int64_t fragmentation(const NodeState& at, const std::vector<Likely>& likely) {
  const std::int64_t all = at.gpu_left();
  std::int64_t sum = 0;
  for (const Likely& one : likely) {
    const Shape& pod = one.shape;
    std::int64_t lost = all;
    if (pod.gpus > 0 && accepts(at, pod) && at.cpu >= pod.cpu &&
        gpus_with(at, pod.milli) >= pod.gpus) {
      lost = 0;
      for (const std::int32_t left : at.left) lost += left < pod.milli ? left : 0;
    }
    sum += one.count * lost;
  }
  return sum;
}

// Eighths of GPU milli of the node that is open to pods of each kind, times how many of each are
// likely: one eighth is what so many of them as its CPU allows would take, the rest is whatever
// lies on GPUs that one of them could use. The first sees CPU running out before it has.
std::int64_t open_to(const NodeState& at, const std::vector<Likely>& likely) {
  std::int64_t sum = 0;
  for (const Likely& one : likely) {
    const Shape& pod = one.shape;
    if (pod.gpus == 0 || !accepts(at, pod) || at.cpu < pod.cpu ||
        gpus_with(at, pod.milli) < pod.gpus) {
      continue;
    }
    std::int64_t open = 0;
    for (const std::int32_t left : at.left) open += left < pod.milli ? 0 : left;
    const std::int64_t milli = std::int64_t{pod.gpus} * pod.milli;
    const std::int64_t taken = pod.cpu == 0 ? open : std::min(open, at.cpu / pod.cpu * milli);
    sum += one.count * (7 * open + taken);
  }
  return sum;
}

// Gains of Shapes that differ by less count as equal, so that the first such node is filled up.
constexpr std::int64_t kEqualMilli = 20;

std::int64_t floored(std::int64_t value, std::int64_t unit) {
  return value >= 0 ? value / unit : -((-value + unit - 1) / unit);
}

// 100 / (1 + exp(-x)), cut to a whole number, for x in thousandths.
std::int64_t sigmoid(std::int64_t thousandths) {
  static const std::array<std::int64_t, 99> kSteps = [] {
    std::array<std::int64_t, 99> steps{};
    for (int k = 1; k < 100; ++k) {
      steps[static_cast<std::size_t>(k - 1)] =
          std::llround(1000 * std::log(static_cast<double>(k) / (100 - k)));
    }
    return steps;
  }();
  return std::ranges::upper_bound(kSteps, thousandths) - kSteps.begin();
}

class Packer {
 public:
  Packer(const std::vector<PackingNode>& nodes, const std::vector<PackingPod>& pods,
         PackingScore score, std::uint64_t seed)
      : score_(score), dice_(seed ^ 0xabcdefu) {
    for (const PackingNode& node : nodes) {
      NodeState& state = nodes_.emplace_back();
      state.cpu = node.cpu;
      state.memory = node.memory;
      state.left.assign(static_cast<std::size_t>(node.gpus), kWholeGpu);
      state.node = &node;
    }
    std::map<Shape, std::size_t> known;
    for (const PackingPod& pod : pods) {
      const auto [at, is_new] = known.try_emplace(shape_of(pod), shapes_.size());
      if (is_new) shapes_.push_back(at->first);
      shape_of_.push_back(at->second);
    }
    likely_ = likely_pods(pods);
    for (const Likely& one : likely_) likely_total_ += one.count;
    kept_.resize(nodes_.size());
    for (auto& of_node : kept_) of_node.resize(shapes_.size());
    fragments_.resize(nodes_.size());
  }

  // Index of the node; -1: none.
  std::int32_t put(std::size_t pod) {
    const std::size_t shape = shape_of_[pod];
    std::optional<std::size_t> best;
    std::uint64_t best_draw = 0;  // Random: its score
    std::int64_t best_score = 0;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const std::optional<Choice>& kept = choice(n, shape);
      if (!kept) continue;
      const std::uint64_t draw = score_ == PackingScore::Random ? dice_.next() : 0;
      const bool better =
          !best || kept->score > best_score || (kept->score == best_score && draw > best_draw);
      if (!better) continue;  // equal: the earlier node stays
      best = n;
      best_score = kept->score;
      best_draw = draw;
    }
    if (!best) return -1;
    const std::size_t n = *best;
    int gpu = choice(n, shape)->gpu;
    if (score_ == PackingScore::Random && shapes_[shape].shared()) gpu = any_gpu(n, shape);
    place(nodes_[n], shapes_[shape], gpu);
    std::ranges::fill(kept_[n], Kept{});
    fragments_[n].reset();
    return static_cast<std::int32_t>(n);
  }

 private:
  struct Kept {
    bool known = false;
    std::optional<Choice> choice;  // none: does not fit
  };

  // Kinds of pods that make up 95 % of the list, without regard to memory.
  static std::vector<Likely> likely_pods(const std::vector<PackingPod>& pods) {
    std::map<Shape, std::int64_t> counts;
    for (const PackingPod& pod : pods) {
      Shape shape = shape_of(pod);
      shape.memory = 0;
      ++counts[shape];
    }
    std::vector<Likely> all;
    for (const auto& [shape, count] : counts) all.push_back({shape, count});
    std::ranges::stable_sort(all, std::greater<>{}, &Likely::count);
    const auto total = static_cast<std::int64_t>(pods.size());
    std::int64_t sum = 0;
    std::size_t kept = 0;
    while (kept < all.size() && sum * 100 < total * 95) sum += all[kept++].count;
    all.resize(kept);
    return all;
  }

  std::optional<Choice>& choice(std::size_t node, std::size_t shape) {
    Kept& kept = kept_[node][shape];
    if (!kept.known) {
      kept.known = true;
      if (fits(nodes_[node], shapes_[shape])) kept.choice = rate(node, shapes_[shape]);
    }
    return kept.choice;
  }

  Choice rate(std::size_t node, const Shape& pod) {
    const NodeState& at = nodes_[node];
    switch (score_) {
      case PackingScore::Random:
        return {0, -1};
      case PackingScore::DotProd:
        return {dot_product(at, pod), tightest(at, pod)};
      case PackingScore::Clustering:
        return {clustering(at, pod), tightest(at, pod)};
      case PackingScore::Packing:
        return {gpu_packing(at, pod), tightest(at, pod)};
      case PackingScore::BestFit:
        return {best_fit(at, pod), tightest(at, pod)};
      case PackingScore::Fgd:
      case PackingScore::Shapes:
        return least_fragmenting(node, pod);
    }
    return {};
  }

  std::int64_t value(const NodeState& at) const {
    return score_ == PackingScore::Fgd ? -fragmentation(at, likely_) : open_to(at, likely_);
  }

  Choice least_fragmenting(std::size_t node, const Shape& pod) {
    if (!fragments_[node]) fragments_[node] = value(nodes_[node]);
    const auto rated = [&](int gpu) {
      NodeState after = nodes_[node];
      place(after, pod, gpu);
      const std::int64_t gain = value(after) - *fragments_[node];
      const std::int64_t total = std::max<std::int64_t>(1, likely_total_);
      return score_ == PackingScore::Fgd ? sigmoid(gain / total)
                                         : floored(gain, 8 * kEqualMilli * total);
    };
    if (!pod.shared()) return {rated(-1), -1};
    Choice best;
    for (std::size_t i = 0; i < nodes_[node].left.size(); ++i) {
      if (nodes_[node].left[i] < pod.milli) continue;
      // GPUs with equally much left are alike.
      const auto until = nodes_[node].left.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(nodes_[node].left.begin(), until, nodes_[node].left[i]) != until) continue;
      const std::int64_t score = rated(static_cast<int>(i));
      if (best.gpu < 0 || score > best.score) best = {score, static_cast<int>(i)};
    }
    return best;
  }

  int any_gpu(std::size_t node, std::size_t shape) {
    std::vector<int> open;
    for (std::size_t i = 0; i < nodes_[node].left.size(); ++i) {
      if (nodes_[node].left[i] >= shapes_[shape].milli) open.push_back(static_cast<int>(i));
    }
    return open[dice_.below(open.size())];
  }

  PackingScore score_;
  Dice dice_;
  std::vector<NodeState> nodes_;
  std::vector<Shape> shapes_;
  std::vector<std::size_t> shape_of_;  // by pod of the list
  std::vector<Likely> likely_;
  std::int64_t likely_total_ = 0;
  std::vector<std::vector<Kept>> kept_;                 // by node, by shape
  std::vector<std::optional<std::int64_t>> fragments_;  // by node: value of what is free
};

std::int64_t capacity_of(const std::vector<PackingNode>& nodes) {
  std::int64_t milli = 0;
  for (const PackingNode& node : nodes) milli += std::int64_t{node.gpus} * kWholeGpu;
  return milli;
}

}  // namespace

std::string_view name_of(PackingScore score) {
  switch (score) {
    case PackingScore::Random:
      return "random";
    case PackingScore::DotProd:
      return "dotprod";
    case PackingScore::Clustering:
      return "clustering";
    case PackingScore::Packing:
      return "packing";
    case PackingScore::BestFit:
      return "bestfit";
    case PackingScore::Fgd:
      return "fgd";
    case PackingScore::Shapes:
      return "shapes";
  }
  return "";
}

std::vector<std::size_t> arrivals(const std::vector<PackingNode>& nodes,
                                  const std::vector<PackingPod>& pods, std::uint64_t seed,
                                  std::int64_t per_cent) {
  const std::int64_t wanted = capacity_of(nodes) * per_cent / 100;
  std::int64_t once = 0;
  for (const PackingPod& pod : pods) once += pod.milli();
  std::vector<std::size_t> order;
  for (std::int64_t sum = 0; order.empty() || (once > 0 && sum < wanted); sum += once) {
    for (std::size_t i = 0; i < pods.size(); ++i) order.push_back(i);
    if (pods.empty()) return order;
  }
  Dice dice(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice.below(i)]);
  std::int64_t sum = 0;
  std::size_t kept = 0;
  while (kept < order.size() && (once == 0 || sum < wanted)) sum += pods[order[kept++]].milli();
  order.resize(kept);
  return order;
}

PackingResult pack(const std::vector<PackingNode>& nodes, const std::vector<PackingPod>& pods,
                   const std::vector<std::size_t>& order, PackingScore score, std::uint64_t seed) {
  PackingResult result;
  result.capacity = capacity_of(nodes);
  Packer packer(nodes, pods, score, seed);
  for (const std::size_t pod : order) {
    result.arrived += pods[pod].milli();
    const std::int32_t node = packer.put(pod);
    result.node_of.push_back(node);
    if (node < 0) {
      ++result.refused;
      continue;
    }
    ++result.placed;
    result.allocated += pods[pod].milli();
  }
  return result;
}

}  // namespace quorate::simulate
