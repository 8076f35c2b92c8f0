#include <map>

#include "src/simulate/csv.h"
#include "src/simulate/trace_common.h"

namespace quorate::simulate {
namespace {

constexpr std::string_view kModelLabel = "alibabacloud.com/gpu-card-model";
constexpr std::int64_t kMebi = 1 << 20;
struct Capacity {
  std::int64_t cpu = 0, memory = 0, gpus = 0;
};

std::string flavor_name(std::string_view model) {
  std::string name;
  for (const char c : model) {
    const bool upper = c >= 'A' && c <= 'Z';
    name += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name.empty() ? "none" : name;
}

std::vector<std::string> models_in(std::string_view spec) {
  std::vector<std::string> models;
  while (!spec.empty()) {
    const std::size_t bar = spec.find('|');
    models.emplace_back(spec.substr(0, bar));
    spec.remove_prefix(bar == std::string_view::npos ? spec.size() : bar + 1);
  }
  return models;
}

}  // namespace

Outcome<Trace> read_openb(std::istream& nodes, std::istream& pods, const TraceOptions& options) {
  std::map<std::string, Capacity> models;
  Outcome<void> read = read_csv(
      nodes, {"sn", "cpu_milli", "memory_mib", "gpu", "model"},
      [&](const CsvRow& row) -> Outcome<void> {
        Capacity& capacity = models[std::string(row["model"])];
        for (auto [column, into, unit] : {std::tuple{"cpu_milli", &capacity.cpu, std::int64_t{1}},
                                          {"memory_mib", &capacity.memory, kMebi},
                                          {"gpu", &capacity.gpus, std::int64_t{1}}}) {
          const Outcome<std::int64_t> amount = row.integer(column);
          if (!amount) return tl::unexpected(amount.error());
          *into = (Quantity{*into} + Quantity{*amount} * unit).base_units();
        }
        return {};
      });
  if (!read) return within("nodes", read.error());

  Trace trace;
  std::map<std::string, int> classes;
  std::int64_t skipped = 0;
  std::int64_t rounded = 0;
  read = read_csv(
      pods,
      {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos",
       "creation_time", "deletion_time"},
      [&](const CsvRow& row) -> Outcome<void> {
        if (options.limit > 0 &&
            static_cast<std::int64_t>(trace.arrivals.size()) >= options.limit) {
          return {};
        }
        std::map<std::string, std::int64_t> cells;
        for (const char* column : {"cpu_milli", "memory_mib", "num_gpu", "gpu_milli",
                                   "creation_time", "deletion_time"}) {
          const Outcome<std::int64_t> value = row.integer(column);
          if (!value) return tl::unexpected(value.error());
          cells[column] = *value;
        }
        const std::int64_t runtime = cells["deletion_time"] - cells["creation_time"];
        if (runtime <= 0) {
          ++skipped;
          return {};
        }
        PodTemplate pod;
        ContainerResources& container = pod.containers.emplace_back();
        container.name = "c";
        container.requests["cpu"] = Quantity{cells["cpu_milli"]};
        container.requests["memory"] = Quantity{cells["memory_mib"]} * kMebi;
        if (cells["num_gpu"] > 0) {
          container.requests[kGpu] = Quantity{cells["num_gpu"]};
          if (cells["gpu_milli"] < 1000) ++rounded;
        }
        if (const std::vector<std::string> wanted = models_in(row["gpu_spec"]); !wanted.empty()) {
          pod.node_affinity.required = {
              {.match_expressions = {{std::string(kModelLabel), Requirement::Op::In, wanted}}}};
        }
        const std::string qos = flavor_name(row["qos"]);
        ++classes[qos];
        Arrival& arrival = trace.arrivals.emplace_back();
        arrival.at = Time::from_seconds(cells["creation_time"]);
        arrival.runtime = Duration::seconds(runtime);
        arrival.workload = workload_of(std::string(row["name"]), qos, 1, std::move(pod));
        arrival.workload.meta.labels["class"] = std::to_string(cells["num_gpu"]) + " gpu";
        return {};
      });
  if (!read) return within("pods", read.error());

  objects::Cohort cohort;
  cohort.meta = named("openb");
  objects::ResourceGroup& group = cohort.resource_groups.emplace_back();
  group.covered_resources = {"cpu", "memory", kGpu};
  objects::ResourceGroup empty = group;
  for (const auto& [model, capacity] : models) {
    const std::string name = flavor_name(model);
    group.flavors.push_back({name,
                             {{"cpu", Quantity{capacity.cpu}},
                              {"memory", Quantity{capacity.memory}},
                              {kGpu, Quantity{capacity.gpus}}}});
    empty.flavors.push_back({name, {{"cpu", {}}, {"memory", {}}, {kGpu, {}}}});
    objects::ResourceFlavor flavor;
    flavor.meta = named(name);
    flavor.node_labels[std::string(kModelLabel)] = model;
    trace.objects.of<objects::ResourceFlavor>().emplace(flavor.meta.key, std::move(flavor));
  }
  trace.objects.of<objects::Cohort>().emplace(cohort.meta.key, std::move(cohort));
  for (const auto& [qos, count] : classes) {
    objects::ClusterQueue queue;
    queue.meta = named(qos);
    queue.cohort = "openb";
    queue.resource_groups = {empty};
    add_queue(trace.objects, std::move(queue));
  }
  sort_arrivals(trace.arrivals);
  if (skipped > 0)
    trace.notes.push_back(std::to_string(skipped) + " pods without a runtime left out");
  if (rounded > 0) {
    trace.notes.push_back(std::to_string(rounded) +
                          " pods that asked for a part of a GPU take one");
  }
  return trace;
}

}  // namespace quorate::simulate
