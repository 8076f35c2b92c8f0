#include "src/simulate/plot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace quorate::simulate {
namespace {

constexpr double kWidth = 900, kHeight = 300;
constexpr double kLeft = 70, kRight = 20, kTop = 34, kBottom = 44;
constexpr double kLegendRow = 18;
constexpr std::size_t kMostPoints = 800;
constexpr std::array<const char*, 10> kColors = {"#3b6fb6", "#d9822b", "#3a9a5b", "#b8434e",
                                                 "#7a5aa6", "#8a6d4f", "#c868a6", "#6f7780",
                                                 "#a6a03a", "#3aa0b0"};

std::string fixed(double value) {
  char buffer[48];
  const auto [end, fault] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 1);
  return fault == std::errc{} ? std::string(buffer, end) : "0";
}

// The next of 1, 2, 5, 10, 20, ... so that there are about five steps.
double tick_step(double range) {
  if (!(range > 0)) return 1;
  const double rough = range / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::string text(double x, double y, std::string_view anchor, std::string_view words,
                 std::string_view extra = "") {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\"" + std::string(extra) + ">" + escaped(words) + "</text>";
}

std::string rule(double x1, double y1, double x2, double y2, std::string_view color) {
  return "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) + "\" y2=\"" +
         fixed(y2) + "\" stroke=\"" + std::string(color) + "\"/>";
}

struct Frame {
  double x_low = 0, x_high = 1, y_high = 1;
  double height = kHeight;

  double x(double value) const {
    return kLeft + (value - x_low) / (x_high - x_low) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return height - kBottom - value / y_high * (height - kTop - kBottom);
  }
};

std::string open(double height, const ChartOptions& options) {
  return "<svg viewBox=\"0 0 " + fixed(kWidth) + " " + fixed(height) +
         "\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" +
         escaped(options.title) + "\">" +
         text(kLeft, 18, "start", options.title, " class=\"title\"");
}

std::string axes(const Frame& frame, const ChartOptions& options) {
  std::string out;
  const double y_step = tick_step(frame.y_high);
  for (double value = 0; value <= frame.y_high * 1.0001; value += y_step) {
    out += rule(kLeft, frame.y(value), kWidth - kRight, frame.y(value), "#e3e6ea");
    out += text(kLeft - 8, frame.y(value) + 4, "end", rounded(value));
  }
  const double x_step = tick_step(frame.x_high - frame.x_low);
  for (double value = std::ceil(frame.x_low / x_step) * x_step; value <= frame.x_high * 1.0001;
       value += x_step) {
    out += rule(frame.x(value), frame.height - kBottom, frame.x(value), frame.height - kBottom + 4,
                "#9aa3ad");
    out += text(frame.x(value), frame.height - kBottom + 18, "middle", rounded(value));
  }
  out += rule(kLeft, frame.height - kBottom, kWidth - kRight, frame.height - kBottom, "#9aa3ad");
  out += text((kLeft + kWidth - kRight) / 2, frame.height - 8, "middle", options.x_label);
  out += "<text x=\"14\" y=\"" + fixed(frame.height / 2) +
         "\" text-anchor=\"middle\" transform=\"rotate(-90 14 " + fixed(frame.height / 2) + ")\">" +
         escaped(options.y_label) + "</text>";
  return out;
}

// Of each slice of time the first, lowest, highest and last point.
std::vector<std::pair<double, double>> thinned(
    const std::vector<std::pair<double, double>>& points) {
  if (points.size() <= kMostPoints) return points;
  const double low = points.front().first;
  const double width = (points.back().first - low) / (kMostPoints / 4.0);
  std::vector<std::pair<double, double>> out;
  for (std::size_t i = 0; i < points.size();) {
    const double slice = std::floor((points[i].first - low) / width);
    std::size_t end = i;
    std::size_t lowest = i;
    std::size_t highest = i;
    for (; end < points.size() && std::floor((points[end].first - low) / width) == slice; ++end) {
      if (points[end].second < points[lowest].second) lowest = end;
      if (points[end].second > points[highest].second) highest = end;
    }
    std::array<std::size_t, 4> chosen = {i, lowest, highest, end - 1};
    std::ranges::sort(chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (k == 0 || chosen[k] != chosen[k - 1]) out.push_back(points[chosen[k]]);
    }
    i = end;
  }
  return out;
}

std::string legend(const std::vector<Line>& lines, double top) {
  std::string out;
  constexpr double kColumn = 150;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const double x = kLeft + static_cast<double>(i % 5) * kColumn;
    const double y = top + static_cast<double>(i / 5) * kLegendRow;
    out += "<rect x=\"" + fixed(x) + "\" y=\"" + fixed(y - 9) +
           "\" width=\"12\" height=\"10\" fill=\"" + kColors[i % kColors.size()] + "\"/>";
    const std::string& name = lines[i].name;
    out += text(x + 17, y, "start", name.size() > 20 ? name.substr(0, 19) + "…" : name);
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view words) {
  std::string out;
  for (const char c : words) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string rounded(double value) {
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude >= 1e12) return rounded(value / 1e12) + "T";
  if (magnitude >= 1e9) return rounded(value / 1e9) + "G";
  if (magnitude >= 1e6) return rounded(value / 1e6) + "M";
  const int digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3;
  char buffer[48];
  const auto [end, fault] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  std::string out(buffer, fault == std::errc{} ? end : buffer);
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.')) out.pop_back();
  }
  return out;
}

std::string line_chart(const ChartOptions& options, const std::vector<Line>& lines) {
  Frame frame;
  bool any = false;
  for (const Line& line : lines) {
    for (const auto& [x, y] : line.points) {
      frame.x_low = any ? std::min(frame.x_low, x) : x;
      frame.x_high = any ? std::max(frame.x_high, x) : x;
      frame.y_high = any ? std::max(frame.y_high, y) : y;
      any = true;
    }
  }
  if (frame.x_high <= frame.x_low) frame.x_high = frame.x_low + 1;
  if (frame.y_high <= 0) frame.y_high = 1;
  const double rows = std::ceil(static_cast<double>(lines.size()) / 5);
  std::string out = open(kHeight + rows * kLegendRow + 8, options) + axes(frame, options);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string path;
    double before = 0;
    for (const auto& [x, y] : thinned(lines[i].points)) {
      const std::string at = fixed(frame.x(x)) + "," + fixed(frame.y(y));
      if (!path.empty() && options.steps) {
        path += " " + fixed(frame.x(x)) + "," + fixed(frame.y(before));
      }
      path += " " + at;
      before = y;
    }
    if (path.empty()) continue;
    out += "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" +
           std::string(kColors[i % kColors.size()]) + "\" points=\"" + path.substr(1) +
           "\"><title>" + escaped(lines[i].name) + "</title></polyline>";
  }
  if (!any) out += text(kWidth / 2, kHeight / 2, "middle", "nothing to show");
  return out + legend(lines, kHeight + kLegendRow - 4) + "</svg>";
}

std::string span_chart(const ChartOptions& options, const std::vector<Span>& spans) {
  constexpr double kRow = 26;
  constexpr double kNames = 170;
  Frame frame;
  frame.height =
      kTop + kBottom + kRow * static_cast<double>(std::max<std::size_t>(spans.size(), 1));
  frame.x_high = 0;
  for (const Span& span : spans) frame.x_high = std::max(frame.x_high, span.high);
  if (frame.x_high <= 0) frame.x_high = 1;
  const auto x = [&](double value) {
    return kNames + value / frame.x_high * (kWidth - kNames - kRight - 90);
  };
  std::string out = open(frame.height, options);
  const double step = tick_step(frame.x_high);
  for (double value = 0; value <= frame.x_high * 1.0001; value += step) {
    out += rule(x(value), kTop, x(value), frame.height - kBottom, "#e3e6ea");
    out += text(x(value), frame.height - kBottom + 18, "middle", rounded(value));
  }
  out += text((kNames + kWidth) / 2, frame.height - 8, "middle", options.x_label);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    out += text(kNames - 10, y + 4, "end", span.name);
    out += "<rect x=\"" + fixed(x(span.low)) + "\" y=\"" + fixed(y - 7) + "\" width=\"" +
           fixed(std::max(x(span.high) - x(span.low), 1.5)) +
           "\" height=\"14\" fill=\"#9db8dc\"><title>" + escaped(span.name) + "</title></rect>";
    out += "<rect x=\"" + fixed(x(span.middle) - 1.5) + "\" y=\"" + fixed(y - 9) +
           "\" width=\"3\" height=\"18\" fill=\"#24477a\"/>";
    out += text(x(span.high) + 8, y + 4, "start", span.note);
  }
  if (spans.empty()) out += text(kWidth / 2, frame.height / 2, "middle", "nothing to show");
  return out + "</svg>";
}

}  // namespace quorate::simulate
