// Placement by the vectors of testing/placement_vectors.h, plus what a table cannot say.

#include "topology/placement.h"

#include <gtest/gtest.h>

#include <sstream>

#include "topology/pod_sets.h"
#include "topology/testing/placement_vectors.h"

namespace quorate::topology {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos;
       from = at + separator.size(), at = text.find(separator, from)) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string level_key(const std::string& word) { return word == "host" ? kHostname : word; }

// "n1=2, n3=1" in a tree whose lowest level is the hostname.
Assignment assignment_of(const std::string& text) {
  Assignment assignment{{kHostname}, {}};
  for (const std::string& part : split(text, ", ")) {
    const auto pair = split(part, "=");
    assignment.domains.push_back({{pair[0]}, std::stoi(pair[1])});
  }
  return assignment;
}

ResourceList cpus(const std::string& number) {
  return {{"cpu", Quantity{1000 * std::stoi(number)}}};
}

// One vector: builds the tree, asks, and tells the answer as the vectors write it.
class Case {
 public:
  explicit Case(const Vector& vector) : vector_(vector) {
    for (const std::string& word : split(vector.levels, ">")) levels_.push_back(level_key(word));
  }

  std::string answer() {
    std::vector<std::string> clauses = split(vector_.request, "; ");
    for (const std::string& clause : clauses) {
      const std::string kLabels = "flavor nodeLabels ";
      if (!clause.starts_with(kLabels)) continue;
      const auto pair = split(clause.substr(kLabels.size()), "=");
      node_labels_[pair[0]] = pair[1];
    }
    tree_.emplace("topo", levels_, node_labels_);
    for (const std::string& text : split(vector_.nodes, ", ")) node(text);
    for (const std::string& clause : clauses) take(clause);
    return replaced_ ? replace_one() : place_pod_sets();
  }

 private:
  // "r1/n1:3/20 (NotReady)", "n1(b1/r1:2)".
  void node(std::string text) {
    auto spec = std::make_shared<cluster::NodeSpec>();
    while (text.ends_with(')')) {
      const std::size_t open = text.rfind('(');
      if (open == 0 || text[open - 1] != ' ') break;
      const std::string note = text.substr(open + 1, text.size() - open - 2);
      text.resize(open - 1);
      if (note == "NotReady") spec->ready = false;
      if (note == "cordoned") spec->unschedulable = true;
      if (note.starts_with("label ")) {
        const auto pair = split(note.substr(6), "=");
        spec->labels[pair[0]] = pair[1];
      }
      if (note.starts_with("taint ")) {
        const auto pair = split(note.substr(6), "=");
        const auto rest = split(pair[1], ":");
        spec->taints.push_back({pair[0], rest[0], rest[1]});
      }
    }
    if (const std::size_t open = text.find('('); open != std::string::npos) {
      spec->name = text.substr(0, open);
      text = text.substr(open + 1, text.size() - open - 2);
    }
    const auto sides = split(text, ":");
    const auto values = split(sides[0], "/");
    if (spec->name.empty()) spec->name = values.back();
    for (std::size_t i = 0; i < levels_.size(); ++i) spec->labels[levels_[i]] = values[i];
    const auto amounts = split(sides[1], "/");
    spec->allocatable = cpus(amounts[0]);
    const std::string pods = amounts.size() > 1 ? amounts[1] : "20";
    if (pods != "no pods") spec->allocatable["pods"] = Quantity{std::stoi(pods)};
    tree_->put_node(spec, static_cast<std::uint32_t>(++nodes_), {});
  }

  void take(const std::string& clause) {
    std::istringstream words(clause);
    std::string first;
    words >> first;
    if (clause == "simulateEmpty") {
      options_.empty = true;
    } else if (first == "TASBalancedPlacement=True") {
      options_.profile.balanced = true;
    } else if (first == "TASRespectNodeAffinityPreferred=True") {
      options_.profile.respect_preferred = true;
    } else if (first == "TAS") {  // TAS usage x1: 1 pods x 1 cpu
      std::string word, domain, cpu;
      int count = 0;
      words >> word >> domain >> count >> word >> word >> cpu;
      domain.pop_back();
      tree_->charge(journal_, {domain}, tree_->amounts(cpus(cpu)), count);
    } else if (first == "non-TAS") {  // non-TAS pod on n1 cpu=3
      std::string word, where, cpu;
      words >> word >> word >> where >> cpu;
      ResourceList used = cpus(split(cpu, "=")[1]);
      used["pods"] = Quantity{1};
      tree_->add_foreign(where, used, 1);
    } else if (first == "replace") {  // replace node x3 in existing x1=1, x3=1
      std::string word, failed;
      words >> word >> failed;
      replaced_ = failed;
      old_ = assignment_of(clause.substr(clause.find("existing ") + 9));
    } else if (first.ends_with(':')) {
      names_.push_back(first.substr(0, first.size() - 1));
      pod_set(clause.substr(first.size() + 1));
    }
  }

  // "7 pods x 1 cpu required=rack slices of 2 per host"
  void pod_set(std::string text) {
    PodSetAsk& out = pod_sets_.emplace_back();
    if (const auto at = text.find(" previous "); at != std::string::npos) {
      previous_ = assignment_of(text.substr(at + 10));
      out.previous = &*previous_;
      text.resize(at);
    }
    if (const auto at = text.find(" layers "); at != std::string::npos) {
      for (const std::string& layer : split(text.substr(at + 8), ", ")) {
        const auto pair = split(layer, ":");
        out.ask.wish.layers.push_back({level_key(pair[0]), std::stoi(pair[1])});
      }
      text.resize(at);
    }
    if (const auto at = text.find(" preferred affinity ssd exists"); at != std::string::npos) {
      out.ask.filter.affinity.preferred.push_back(
          {10, NodeSelectorTerm{{Requirement{"ssd", Requirement::Op::Exists, {}}}, {}}});
      text.resize(at);
    }
    std::istringstream words(text);
    std::string word;
    ResourceList requests;
    words >> out.ask.pods >> word;
    while (words >> word) {
      if (word == "x") {
        std::string cpu;
        words >> cpu >> word;
        requests = cpus(cpu);
      } else if (word.starts_with("required=")) {
        out.ask.wish.required = level_key(word.substr(9));
      } else if (word.starts_with("preferred=")) {
        out.ask.wish.preferred = level_key(word.substr(10));
      } else if (word == "unconstrained") {
        out.ask.wish.unconstrained = true;
      } else if (word == "slices") {
        int size = 0;
        std::string level;
        words >> word >> size >> word >> level;
        out.ask.wish.layers.push_back({level_key(level), size});
      } else if (word == "group") {
        words >> out.group;
      } else if (word == "nodeSelector") {
        words >> word;
        const auto pair = split(word, "=");
        out.ask.filter.node_selector[pair[0]] = pair[1];
      }
    }
    out.ask.pod = tree_->amounts(requests);
  }

  static std::string told(const Assignment& assignment) {
    std::string text;
    for (const Assignment::Domain& domain : assignment.domains) {
      std::string name;
      for (const std::string& value : domain.values) name += (name.empty() ? "" : "/") + value;
      text += (text.empty() ? "" : " ") + name + "=" + std::to_string(domain.count);
    }
    return text;
  }

  std::string replace_one() {
    const Outcome found = replace(*tree_, pod_sets_.at(0).ask, *old_, {*replaced_}, options_);
    if (const auto* failure = std::get_if<Failure>(&found)) return "FAIL: " + text(*failure);
    return told(std::get<Placed>(found).pods);
  }

  std::string place_pod_sets() {
    std::vector<std::string> parts(pod_sets_.size());
    for (const auto& [at, outcome] : place_all(*tree_, pod_sets_, options_)) {
      const auto* failure = std::get_if<Failure>(&outcome);
      parts[at] = failure ? "FAIL: " + text(*failure) : told(std::get<Assignment>(outcome));
    }
    if (parts.size() == 1) return parts[0];
    std::string all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all += (i == 0 ? "" : "; ") + names_[i] + ": " + parts[i];
    }
    return all;
  }

  const Vector& vector_;
  Journal journal_;
  std::vector<std::string> levels_;
  Labels node_labels_;
  std::optional<Tree> tree_;
  int nodes_ = 0;
  Options options_;
  std::vector<std::string> names_;
  std::vector<PodSetAsk> pod_sets_;
  std::optional<Assignment> previous_, old_;
  std::optional<std::string> replaced_;
};

class PlaceTest : public ::testing::TestWithParam<Vector> {};

TEST_P(PlaceTest, AsTheVectorSays) { EXPECT_EQ(Case(GetParam()).answer(), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Vectors, PlaceTest, ::testing::ValuesIn(placement_vectors()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace quorate::topology
