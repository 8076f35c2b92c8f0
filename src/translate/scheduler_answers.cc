// Compares the scheduler's plugins with what kube-scheduler's own answered: reads the lines that
// e2e/compat-scheduler/oracle printed, one cluster each, and runs the same pods on it.
//
// Prints each difference and a last line with the count; the exit status is 1 if there is one.

#include <iostream>
#include <string>

#include "src/objects/json.h"
#include "src/objects/read.h"
#include "src/scheduler/evaluation.h"
#include "src/translate/translate.h"

namespace quorate {
namespace {

using objects::Json;

template <class T>
T read_as(Json json) {
  T object;
  objects::read(json, "v1", object);
  return object;
}

class Checker {
 public:
  void cluster(Json line) {
    cluster::Model model;
    Journal journal;
    line["nodes"].each(
        [&](Json node) { model.apply(journal, translate::to_spec(read_as<objects::Node>(node))); });
    line["namespaces"].each([&](Json ns) {
      const auto object = read_as<objects::Namespace>(ns);
      model.apply_namespace(object.meta.key.name, object.meta.labels);
    });
    line["pods"].each([&](Json pod) {
      cluster::PodSpec spec = translate::to_spec(read_as<objects::Pod>(pod));
      spec.uid = spec.key.text();
      model.apply(journal, std::move(spec));
    });
    line["tried"].each([&](Json tried) { pod(model, journal, tried); });
  }

  int report() const {
    std::cout << cases_ << " cases, " << differences_ << " differ\n";
    return differences_ == 0 && cases_ > 0 ? 0 : 1;
  }
  void differ(const std::string& what) {
    ++differences_;
    std::cout << what << "\n";
  }

 private:
  void pod(cluster::Model& model, Journal& journal, Json tried) {
    ++cases_;
    cluster::PodSpec spec = translate::to_spec(read_as<objects::Pod>(tried["pod"]));
    spec.uid = spec.key.text();
    // Seen by the model, so that it is told apart from others as in life; on no node.
    const cluster::PodChange change = model.apply(journal, spec);
    const scheduler::PodView view{&model.pod(change.id).info->demand, "", nullptr, nullptr};
    const scheduler::Evaluation evaluation(framework_, model, view, model.nodes());
    std::string pass, want_pass;
    for (std::size_t i = 0; i < model.nodes().size(); ++i) {
      if (evaluation.feasible(i)) pass += " " + model.node(model.nodes()[i]).spec->name;
    }
    for (const std::string& name : tried["pass"].texts()) want_pass += " " + name;
    const std::string where = spec.key.text() + " of " + tried["pod"].canonical() + "\n  ";
    if (pass != want_pass) differ(where + "passes" + pass + ", wanted" + want_pass);
    const std::string want_text = tried["text"].text();
    const std::string text = want_text.empty() ? "" : evaluation.fit_error().text;
    if (text != want_text) differ(where + "says " + text + "\n  wanted " + want_text);
    if (pass == want_pass) best(model, evaluation, tried, where);
    model.pod_gone(journal, spec.key, spec.uid);
  }

  // The node chosen is one of those to which the reference gives the highest sum.
  void best(const cluster::Model& model, const scheduler::Evaluation& evaluation, Json tried,
            const std::string& where) {
    if (!tried["scores"].present()) return;
    const std::vector<std::string> names = tried["pass"].texts();
    std::vector<std::int64_t> sums;
    std::int64_t most = 0;
    tried["scores"].each([&](Json sum) {
      sums.push_back(sum.int64());
      most = std::max(most, sums.back());
    });
    const std::string& chosen = model.node(model.nodes()[*evaluation.best()]).spec->name;
    std::string scores;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == chosen && sums[i] == most) return;
      scores += " " + names[i] + "=" + std::to_string(sums[i]);
    }
    differ(where + "takes " + chosen + ", wanted the most of" + scores);
  }

  scheduler::Framework framework_{scheduler::Profile{}};
  std::int64_t cases_ = 0;
  std::int64_t differences_ = 0;
};

int run() {
  Checker checker;
  objects::JsonDocument document;
  for (std::string line; std::getline(std::cin, line);) {
    if (const Outcome<void> parsed = document.parse(line); !parsed) {
      checker.differ("a line that is no JSON: " + parsed.error().message);
      continue;
    }
    checker.cluster(document.root());
    if (document.fault()) checker.differ(*document.fault());
  }
  return checker.report();
}

}  // namespace
}  // namespace quorate

int main() { return quorate::run(); }
