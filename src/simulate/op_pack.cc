#include "src/simulate/op_pack.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "src/objects/json_writer.h"
#include "src/simulate/answer_table.h"
#include "src/simulate/csv.h"
#include "src/simulate/op_schedule.h"
#include "src/simulate/packing.h"
#include "src/simulate/yaml_text.h"

namespace quorate::simulate {
namespace {

constexpr std::int64_t kMostGpus = 64;  // of a node
constexpr std::int64_t kMostSeeds = 1000;

struct Lists {
  std::vector<PackingNode> nodes;
  std::vector<PackingPod> pods;
};

struct Row {
  PackingScore score;
  std::int64_t mean = 0, least = 0, most = 0;  // hundredths of a per cent
};

Outcome<std::int64_t> amount(const CsvRow& row, std::string_view column, std::int64_t most) {
  const Outcome<std::int64_t> value = row.integer(column);
  if (!value) return value;
  if (*value < 0 || *value > most) {
    return error(Errc::Invalid, std::string(column) + ": must be between 0 and " +
                                    std::to_string(most) + ", not " + std::to_string(*value));
  }
  return value;
}

Outcome<void> read_nodes(std::istream& in, std::vector<PackingNode>& nodes) {
  const Outcome<void> read = read_csv(
      in, {"sn", "cpu_milli", "memory_mib", "gpu"}, [&](const CsvRow& row) -> Outcome<void> {
        PackingNode node{std::string(row["sn"]), std::string(row["model"]), 0, 0, 0};
        const Outcome<std::int64_t> cpu = amount(row, "cpu_milli", std::int64_t{1} << 40);
        if (!cpu) return tl::unexpected(cpu.error());
        const Outcome<std::int64_t> memory = amount(row, "memory_mib", std::int64_t{1} << 40);
        if (!memory) return tl::unexpected(memory.error());
        const Outcome<std::int64_t> gpus = amount(row, "gpu", kMostGpus);
        if (!gpus) return tl::unexpected(gpus.error());
        node.cpu = *cpu;
        node.memory = *memory;
        node.gpus = static_cast<std::int32_t>(*gpus);
        nodes.push_back(std::move(node));
        return {};
      });
  std::ranges::stable_sort(nodes, {}, &PackingNode::name);
  return read;
}

std::vector<std::string> models_of(std::string_view spec) {
  std::vector<std::string> models;
  while (!spec.empty()) {
    const std::size_t bar = std::min(spec.find('|'), spec.size());
    if (bar > 0) models.emplace_back(spec.substr(0, bar));
    spec.remove_prefix(std::min(bar + 1, spec.size()));
  }
  return models;
}

Outcome<void> read_pods(std::istream& in, std::vector<PackingPod>& pods) {
  return read_csv(
      in, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"},
      [&](const CsvRow& row) -> Outcome<void> {
        const Outcome<std::int64_t> cpu = amount(row, "cpu_milli", std::int64_t{1} << 40);
        if (!cpu) return tl::unexpected(cpu.error());
        const Outcome<std::int64_t> memory = amount(row, "memory_mib", std::int64_t{1} << 40);
        if (!memory) return tl::unexpected(memory.error());
        const Outcome<std::int64_t> gpus = amount(row, "num_gpu", kMostGpus);
        if (!gpus) return tl::unexpected(gpus.error());
        Outcome<std::int64_t> milli = std::int64_t{0};
        if (*gpus > 0) milli = amount(row, "gpu_milli", 1000);
        if (!milli) return tl::unexpected(milli.error());
        if (*gpus > 0 && *milli == 0) {
          return error(Errc::Invalid, "gpu_milli: must not be 0 where num_gpu is not");
        }
        if (*gpus > 1 && *milli < 1000) {
          return error(Errc::Invalid, "gpu_milli: several GPUs are taken whole");
        }
        pods.push_back({std::string(row["name"]), *cpu, *memory, static_cast<std::int32_t>(*gpus),
                        static_cast<std::int32_t>(*milli), models_of(row["gpu_spec"])});
        return {};
      });
}

Outcome<Lists> read_lists(const Options& options) {
  if (options.nodes_file.empty() || options.pods_file.empty()) {
    return error(Errc::Invalid, "--op place over lists needs --nodes and --pods");
  }
  Lists lists;
  for (const bool nodes : {true, false}) {
    const std::string& path = nodes ? options.nodes_file : options.pods_file;
    std::ifstream in(path, std::ios::binary);
    if (!in) return error(Errc::NotFound, path + ": cannot be opened");
    const Outcome<void> read = nodes ? read_nodes(in, lists.nodes) : read_pods(in, lists.pods);
    if (!read) return error(read.error().code, path + ": " + read.error().message);
  }
  return lists;
}

std::optional<std::vector<PackingScore>> scores_of(std::string_view text) {
  std::vector<PackingScore> scores;
  const std::vector<PackingScore> all = {
      PackingScore::Random,  PackingScore::DotProd, PackingScore::Clustering, PackingScore::Packing,
      PackingScore::BestFit, PackingScore::Fgd,     PackingScore::Shapes};
  if (text == "all") return all;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto found = std::ranges::find(all, text.substr(0, comma), name_of);
    if (found == all.end()) return std::nullopt;
    scores.push_back(*found);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  if (scores.empty()) return std::nullopt;
  return scores;
}

std::optional<std::pair<std::int64_t, std::int64_t>> seeds_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto number = [](std::string_view digits) -> std::optional<std::int64_t> {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc{} || end != digits.data() + digits.size() || value < 0) {
      return std::nullopt;
    }
    return value;
  };
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= kMostSeeds) return std::nullopt;
  return std::pair(*first, *last);
}

std::string per_cent(std::int64_t hundredths) {
  const std::string cents = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (cents.size() < 2 ? "0" : "") + cents;
}

}  // namespace

int op_pack(const Options& options, const Streams& streams) {
  const auto scores = scores_of(options.scores);
  const auto seeds = seeds_of(options.seeds);
  if (!scores) streams.err << "--score: no such score in \"" << options.scores << "\"\n";
  if (!seeds) streams.err << "--seeds: must be FIRST-LAST, not \"" << options.seeds << "\"\n";
  const Outcome<Lists> lists = read_lists(options);
  if (!lists) streams.err << lists.error().message << "\n";
  if (!scores || !seeds || !lists) return kUnusable;

  std::vector<Row> rows;
  std::int64_t capacity = 0;
  for (const PackingScore score : *scores) {
    Row row{score, 0, 10'000, 0};
    for (std::int64_t seed = seeds->first; seed <= seeds->second; ++seed) {
      const auto drawn = static_cast<std::uint64_t>(seed);
      const std::vector<std::size_t> order = arrivals(lists->nodes, lists->pods, drawn, 100);
      const PackingResult result = pack(lists->nodes, lists->pods, order, score, drawn);
      capacity = result.capacity;
      row.mean += result.allocation();
      row.least = std::min(row.least, result.allocation());
      row.most = std::max(row.most, result.allocation());
    }
    row.mean /= seeds->second - seeds->first + 1;
    rows.push_back(row);
  }

  const std::string format = format_of(options, streams);
  if (format == "table") {
    std::vector<std::vector<std::string>> cells = {{"SCORE", "GPUS GIVEN OUT", "LEAST", "MOST"}};
    for (const Row& row : rows) {
      cells.push_back({std::string(name_of(row.score)), per_cent(row.mean) + " %",
                       per_cent(row.least), per_cent(row.most)});
    }
    streams.out << table(cells);
    return kRan;
  }
  objects::JsonWriter out;
  out.open()
      .field("gpuMilli", capacity)
      .field("nodes", static_cast<std::int64_t>(lists->nodes.size()));
  out.field("pods", static_cast<std::int64_t>(lists->pods.size()));
  out.field("seeds", std::string_view(options.seeds)).key("scores").open_list();
  for (const Row& row : rows) {
    out.open().field("score", name_of(row.score)).key("allocatedPercent").raw(per_cent(row.mean));
    out.key("least").raw(per_cent(row.least)).key("most").raw(per_cent(row.most)).close();
  }
  out.close_list().close();
  const std::string json = out.take();
  streams.out << (format == "yaml" ? yaml_of_json(json) : json + "\n");
  return kRan;
}

}  // namespace quorate::simulate
