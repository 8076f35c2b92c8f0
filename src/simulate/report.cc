#include "src/simulate/report.h"

#include <algorithm>
#include <filesystem>

#include "src/simulate/inputs.h"
#include "src/simulate/plot.h"

namespace quorate::simulate {
namespace {

constexpr std::size_t kMostLines = 10;

constexpr const char* kStyle = R"(
body{font:15px/1.5 system-ui,sans-serif;color:#1f2933;background:#fff;max-width:960px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2.2rem 0 .4rem}
svg{width:100%;height:auto;font:11px system-ui,sans-serif;fill:#4a5560}
svg .title{font-size:13px;font-weight:600;fill:#1f2933}
table{border-collapse:collapse;font-size:14px}td,th{padding:.25rem .8rem .25rem 0;text-align:right;border-bottom:1px solid #e3e6ea}
th:first-child,td:first-child{text-align:left}p{color:#4a5560;margin:.2rem 0 .6rem})";

// Time on the x axis in a unit that suits the whole.
struct TimeUnit {
  double seconds = 1;
  std::string name = "seconds";
};

TimeUnit unit_for(double seconds) {
  if (seconds > 3 * 86400) return {86400, "days"};
  if (seconds > 3 * 3600) return {3600, "hours"};
  if (seconds > 3 * 60) return {60, "minutes"};
  return {};
}

History::Points scaled(History::Points points, const TimeUnit& unit, double until, double factor) {
  if (!points.empty() && points.back().first < until) {
    points.emplace_back(until, points.back().second);  // the last value holds to the end
  }
  for (auto& [x, y] : points) {
    x /= unit.seconds;
    y *= factor;
  }
  return points;
}

double peak(const History::Points& points) {
  double most = 0;
  for (const auto& [x, y] : points) most = std::max(most, y);
  return most;
}

// The lines that reach highest, in order of name.
std::vector<Line> lines_of(const std::map<std::string, History::Points>& by_name,
                           const TimeUnit& unit, double until, double factor) {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, points] : by_name) order.emplace_back(-peak(points), name);
  std::ranges::sort(order);
  if (order.size() > kMostLines) order.resize(kMostLines);
  std::ranges::sort(order, {}, [](const auto& each) { return each.second; });
  std::vector<Line> lines;
  for (const auto& [height, name] : order) {
    lines.push_back({name, scaled(by_name.at(name), unit, until, factor)});
  }
  return lines;
}

bool is_bytes(const std::string& resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

std::string section(const std::string& title, const std::string& words,
                    const std::string& picture) {
  return "<h2>" + escaped(title) + "</h2><p>" + escaped(words) + "</p>" + picture + "\n";
}

std::string row(const std::vector<std::string>& cells, const char* tag) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) {
    out += "<" + std::string(tag) + ">" + escaped(cell) + "</" + tag + ">";
  }
  return out + "</tr>";
}

std::string wait_table(const std::map<std::string, std::vector<double>>& waits, const char* head) {
  std::string out =
      "<table>" + row({head, "admitted", "mean wait s", "median", "95 %", "longest"}, "th");
  for (const auto& [name, values] : waits) {
    const Spread spread = spread_of(values);
    out += row({name, std::to_string(spread.count), rounded(spread.mean), rounded(spread.median),
                rounded(spread.p95), rounded(spread.most)},
               "td");
  }
  return out + "</table>";
}

std::string wait_chart(const std::map<std::string, std::vector<double>>& waits) {
  double longest = 0;
  for (const auto& [name, values] : waits) longest = std::max(longest, spread_of(values).p95);
  const TimeUnit unit = unit_for(longest);
  std::vector<Span> spans;
  for (const auto& [name, values] : waits) {
    const Spread spread = spread_of(values);
    spans.push_back({name, 0, spread.median / unit.seconds, spread.p95 / unit.seconds,
                     std::to_string(spread.count) + " admitted"});
  }
  return span_chart({.title = "Wait from creation to first admission",
                     .x_label = unit.name + ": median as a tick, bar up to the 95th percentile"},
                    spans);
}

std::string summary(const History& history) {
  std::string out = "<table>" + row({"", ""}, "th");
  out += row({"virtual time", rounded(history.seconds()) + " s"}, "td");
  out += row({"admissions", std::to_string(history.admissions())}, "td");
  out += row({"evictions", std::to_string(history.evictions())}, "td");
  for (const auto& [resource, capacity] : history.capacity()) {
    out += row({"mean use of " + resource, rounded(history.utilization(resource)) + " %"}, "td");
  }
  return out + "</table>";
}

}  // namespace

std::string report_html(const std::string& title, const History& history) {
  const double until = history.seconds();
  const TimeUnit unit = unit_for(until);
  std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">" +
                    std::string("<meta name=\"viewport\" content=\"width=device-width\">") +
                    "<title>" + escaped(title) + "</title><style>" + kStyle +
                    "</style></head><body>\n<h1>" + escaped(title) + "</h1>\n" + summary(history);
  for (const auto& [resource, queues] : history.usage()) {
    const bool bytes = is_bytes(resource);
    const std::string of = resource + (bytes ? " (GiB)" : "");
    out +=
        section("Use of " + of, "Reserved per ClusterQueue; a value holds until the next change.",
                line_chart({.title = of, .x_label = unit.name, .y_label = of},
                           lines_of(queues, unit, until, bytes ? 1.0 / (1 << 30) : 1)));
  }
  out +=
      section("Share", "The largest part of all quota, over resources, that a ClusterQueue holds.",
              line_chart({.title = "dominant share", .x_label = unit.name, .y_label = "percent"},
                         lines_of(history.shares(), unit, until, 1)));
  out +=
      section("Waiting", "Workloads without quota.",
              line_chart({.title = "pending workloads", .x_label = unit.name, .y_label = "number"},
                         {{"pending", scaled(history.waiting(), unit, until, 1)}}));
  out += section("Fragmentation", "Quota that nobody uses although workloads wait.",
                 line_chart({.title = "stranded quota", .x_label = unit.name, .y_label = "percent"},
                            lines_of(history.stranded(), unit, until, 1)));
  out += section("Preemptions", "How many workloads were preempted so far.",
                 line_chart({.title = "preemptions", .x_label = unit.name, .y_label = "number"},
                            {{"preempted", scaled(history.preemptions(), unit, until, 1)}}));
  out += section("Waits by class", "", wait_chart(history.waits_by_class()));
  out += wait_table(history.waits_by_class(), "class");
  out += "<h2>Waits by queue</h2>" + wait_table(history.waits_by_queue(), "ClusterQueue");
  return out + "</body></html>\n";
}

Outcome<void> write_report(const std::string& directory, const std::string& title,
                           const History& history) {
  std::error_code fault;
  std::filesystem::create_directories(directory, fault);
  if (fault) return error(Errc::Unavailable, directory + ": " + fault.message());
  return write_text((std::filesystem::path(directory) / "index.html").string(),
                    report_html(title, history));
}

}  // namespace quorate::simulate
