#include "src/cel/testing/answer.h"

#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "src/base/check.h"
#include "src/cel/program.h"
#include "src/cel/selector.h"

namespace quorate::cel {
namespace {

// The device that all expressions look at; e2e/compat-cel/oracle/device.go has the same.
Device sample_device() {
  Device device("gpu.example.com", true);
  const auto add = [&](std::string_view name, const AttributeValue& value) {
    check(device.add_attribute(name, value).has_value(), "a sample attribute is good");
  };
  add("model", std::string("a100"));
  add("index", std::int64_t{3});
  add("negative", std::int64_t{-7});
  add("healthy", true);
  add("broken", false);
  add("driverVersion", Version{"550.54.15"});
  add("empty", std::string());
  add("ints", std::vector<std::int64_t>{4, 8, 15});
  add("bools", std::vector<bool>{true, false});
  add("strings", std::vector<std::string>{"b", "a", "b"});
  add("versions", std::vector<Version>{{"1.0.0"}, {"2.1.0-rc.1"}});
  add("resource.kubernetes.io/pcieRoot", std::string("pci0000:17"));
  device.add_capacity("memory", *parse_exact_quantity("40Gi"));
  device.add_capacity("cores", *parse_exact_quantity("108"));
  device.add_capacity("slice", *parse_exact_quantity("500m"));
  return device;
}

// The first issue without its picture; which tokens a parser would have liked is left out.
std::string short_fault(std::string_view text) {
  constexpr std::string_view kPrefix = "ERROR: <input>:";
  if (!text.starts_with(kPrefix)) return std::string(text.substr(0, text.find(": ")));
  if (text.find(": Syntax error") != std::string_view::npos) return "Syntax error";
  text = text.substr(kPrefix.size());
  text = text.substr(0, text.find('\n'));
  return std::string(text);
}

// Why an address or URL cannot be read is told in other words than Go's.
std::string short_error(std::string_view text) {
  for (const std::string_view marker :
       {": ParseAddr(", ": netip.ParsePrefix(", ": parse \"", " as \"2006"}) {
    text = text.substr(0, text.find(marker));
  }
  return std::string(text);
}

}  // namespace

Answer answer(std::string_view expression) {
  static const Device device = sample_device();
  static Scratch scratch;
  const Outcome<Compiled> compiled = compile_and_estimate(selector_environment(), expression);
  if (!compiled) return {'c', short_fault(compiled.error().message), 0, ""};
  const std::uint64_t bound = compiled->estimate.most;
  const std::string most =
      bound == std::numeric_limits<std::uint64_t>::max() ? "max" : std::to_string(bound);
  const Value input = device.value();
  const Evaluated result = compiled->program.evaluate({&input, 1}, scratch);
  if (result.value.is_error()) return {'x', short_error(result.value.text()), result.cost, most};
  return {'v', to_string(result.value), result.cost, most};
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (text[++i]) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Recorded parse_recorded(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (std::string_view& field : fields) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    field = line.substr(0, tab);
    line.remove_prefix(std::min(tab + 1, line.size()));
  }
  Recorded recorded;
  recorded.expression = unescape(fields[0]);
  recorded.answer.kind = fields[1].empty() ? '?' : fields[1][0];
  recorded.answer.text = unescape(fields[2]);
  recorded.has_cost = fields[3] != "-";
  std::from_chars(fields[3].data(), fields[3].data() + fields[3].size(), recorded.answer.cost);
  recorded.answer.most = fields[4];
  return recorded;
}

}  // namespace quorate::cel
