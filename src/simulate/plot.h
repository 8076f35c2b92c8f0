#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quorate::simulate {

// One line of a chart: points by rising x.
struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

struct ChartOptions {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool steps = true;  // a value holds until the next point
};

// A self-contained SVG picture. Long lines are thinned to what the eye can tell apart, keeping the
// highs and lows.
std::string line_chart(const ChartOptions& options, const std::vector<Line>& lines);

// One row of a chart of spans: median as a tick in a bar from low to high.
struct Span {
  std::string name;
  double low = 0, middle = 0, high = 0;
  std::string note;
};
std::string span_chart(const ChartOptions& options, const std::vector<Span>& spans);

// Text as HTML and SVG want it.
std::string escaped(std::string_view text);
// A number as people read it: three digits that count, no trailing zeros.
std::string rounded(double value);

}  // namespace quorate::simulate
