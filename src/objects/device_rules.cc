#include "src/objects/device_rules.h"

#include <algorithm>
#include <set>

#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

constexpr std::size_t kMostSelectors = 32;
constexpr std::size_t kMostExpression = 10 * 1024;
constexpr std::size_t kMostParameters = 10 * 1024;

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !letter(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace

void DeviceRules::invalid(const std::string& path, std::string_view value, std::string detail) {
  errors.push_back(invalid_text(path, value, std::move(detail)));
}

void DeviceRules::at_most(const std::string& path, std::size_t count, std::size_t most) {
  if (count <= most) return;
  add(path, Kind::TooMany, std::to_string(count),
      "must have at most " + std::to_string(most) + " items");
}

void DeviceRules::unsupported(const std::string& path, std::string_view value,
                              const std::vector<std::string>& supported) {
  errors.push_back(not_supported(path, value, supported));
}

void DeviceRules::label(const std::string& path, std::string_view text) {
  if (text.empty()) return required(path);
  for (const std::string& fault : dns_label_faults(text)) invalid(path, text, fault);
}

void DeviceRules::subdomain(const std::string& path, std::string_view text, std::size_t most) {
  if (text.empty()) return required(path);
  if (text.size() > most) {
    add(path, Kind::TooLong, "", "may not be more than " + std::to_string(most) + " bytes");
    return;
  }
  for (const std::string& fault : dns_subdomain_faults(text)) invalid(path, text, fault);
}

void DeviceRules::driver(const std::string& path, std::string_view text) {
  if (text.empty()) return required(path);
  if (text.size() > 63) add(path, Kind::TooLong, "", "may not be more than 63 bytes");
  for (const std::string& fault : dns_subdomain_faults(lower(text))) invalid(path, text, fault);
}

void DeviceRules::pool(const std::string& path, std::string_view text) {
  if (text.empty()) return required(path);
  if (text.size() > 253) {
    add(path, Kind::TooLong, "", "may not be more than 253 bytes");
    return;
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t slash = std::min(text.find('/', start), text.size());
    const std::string_view part = text.substr(start, slash - start);
    for (const std::string& fault : dns_subdomain_faults(part)) invalid(path, part, fault);
    start = slash + 1;
  }
}

void DeviceRules::qualified(const std::string& path, std::string_view text, bool full) {
  if (text.empty()) {
    if (full) return required(path);
    return invalid(path, text, "name part must be non-empty");
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    if (full) return invalid(path, text, "must include a domain");
  } else {
    const std::string_view domain = text.substr(0, slash);
    if (domain.empty()) {
      invalid(path, text, "the domain must not be empty");
    } else if (domain.size() > 63) {
      add(path, Kind::TooLong, "", "may not be more than 63 bytes");
    } else {
      for (const std::string& fault : dns_subdomain_faults(lower(domain))) {
        invalid(path, domain, fault);
      }
    }
  }
  const std::string_view id = slash == std::string_view::npos ? text : text.substr(slash + 1);
  if (id.empty()) {
    invalid(path, text, "the name must not be empty");
  } else if (id.size() > 32) {
    add(path, Kind::TooLong, "", "may not be more than 32 bytes");
  } else if (!is_identifier(id)) {
    invalid(path, id,
            "a valid C identifier must start with alphabetic character or '_', followed by a "
            "string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
            "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
  }
}

void DeviceRules::unique(const std::string& path, const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!seen.insert(names[i]).second) add(at(path, i), Kind::Duplicate, quoted(names[i]), "");
  }
}

void DeviceRules::selectors(const std::string& path, const std::vector<std::string>& selectors) {
  at_most(path, selectors.size(), kMostSelectors);
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const std::string here = at(path, i) + ".cel";
    if (selectors[i].empty()) {
      required(here);
    } else if (selectors[i].size() > kMostExpression) {
      add(here + ".expression", Kind::TooLong, "",
          "may not be more than " + std::to_string(kMostExpression) + " bytes");
    }
  }
}

void DeviceRules::opaque(const std::string& path, const dra::Opaque& opaque) {
  driver(path + ".driver", opaque.driver);
  if (opaque.parameters.empty()) return required(path + ".parameters");
  if (opaque.parameters.size() > kMostParameters) {
    add(path + ".parameters", Kind::TooLong, "",
        "may not be more than " + std::to_string(kMostParameters) + " bytes");
  } else if (opaque.parameters.front() != '{') {
    invalid(path + ".parameters", opaque.parameters, "must be a valid JSON object");
  }
}

void DeviceRules::taint(const std::string& path, const dra::DeviceTaint& taint) {
  for (const std::string& fault : label_key_faults(taint.taint.key)) {
    invalid(path + ".key", taint.taint.key, fault);
  }
  for (const std::string& fault : label_value_faults(taint.taint.value)) {
    invalid(path + ".value", taint.taint.value, fault);
  }
  const std::string& effect = taint.taint.effect;
  if (effect.empty()) {
    required(path + ".effect");
  } else if (effect != "None" && effect != "NoSchedule" && effect != "NoExecute") {
    unsupported(path + ".effect", effect, {"NoExecute", "NoSchedule", "None"});
  }
}

void DeviceRules::node_terms(const std::string& path, const dra::NodeTerms& terms,
                             bool exactly_one) {
  const std::string list = path + ".nodeSelectorTerms";
  if (terms.empty()) {
    add(list, Kind::Required, "", "must have at least one node selector term");
  } else if (exactly_one && terms.size() != 1) {
    add(list, Kind::Invalid, number(static_cast<std::int64_t>(terms.size())),
        "must have exactly one node selector term");
  }
}

// Entries are "req" or "req/sub".
void DeviceRules::references(const std::string& path, const std::vector<std::string>& requests,
                             const dra::ClaimSpec& spec) {
  at_most(path, requests.size(), 32);
  unique(path, requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool known = std::ranges::any_of(spec.requests, [&](const dra::Request& request) {
      if (requests[i] == request.name) return true;
      return request.first_available &&
             std::ranges::any_of(request.alternatives, [&](const dra::Alternative& way) {
               return requests[i] == request.name + "/" + way.name;
             });
    });
    if (!known) {
      invalid(at(path, i), requests[i],
              "must be the name of a request in the claim or the name of a request and a "
              "subrequest separated by '/'");
    }
  }
}

void DeviceRules::alternative(const std::string& path, const dra::Alternative& way, bool named) {
  if (named) label(path + ".name", way.name);
  subdomain(path + ".deviceClassName", way.device_class);
  selectors(path + ".selectors", way.selectors);
  if (way.mode == "ExactCount") {
    if (way.count <= 0) {
      add(path + ".count", Kind::Invalid, number(way.count), "must be greater than zero");
    }
  } else if (way.mode == "All") {
    if (way.count != 0) {
      add(path + ".count", Kind::Invalid, number(way.count),
          "must not be specified when allocationMode is 'All'");
    }
  } else {
    unsupported(path + ".allocationMode", way.mode, {"All", "ExactCount"});
  }
  for (std::size_t i = 0; i < way.tolerations.size(); ++i) {
    const Toleration& each = way.tolerations[i];
    const std::string here = at(path + ".tolerations", i);
    if (!each.key.empty()) {
      for (const std::string& fault : label_key_faults(each.key)) {
        invalid(here + ".key", each.key, fault);
      }
    }
    if (each.op == "Exists") {
      if (!each.value.empty()) {
        invalid(here + ".value", each.value, "must be empty for operator `Exists`");
      }
    } else if (!each.op.empty() && each.op != "Equal") {
      unsupported(here + ".operator", each.op, {"Equal", "Exists"});
    }
    if (!each.effect.empty() && each.effect != "NoSchedule" && each.effect != "NoExecute" &&
        each.effect != "None") {
      unsupported(here + ".effect", each.effect, {"NoExecute", "NoSchedule", "None"});
    }
  }
}

void DeviceRules::claim_spec(const std::string& root, const dra::ClaimSpec& spec) {
  const std::string path = root + ".devices";
  at_most(path + ".requests", spec.requests.size(), 32);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < spec.requests.size(); ++i) {
    const dra::Request& request = spec.requests[i];
    const std::string here = at(path + ".requests", i);
    label(here + ".name", request.name);
    names.push_back(request.name);
    if (!request.first_available) {
      for (const dra::Alternative& way : request.alternatives) {
        alternative(here + ".exactly", way, false);
      }
      continue;
    }
    at_most(here + ".firstAvailable", request.alternatives.size(), dra::kMostAlternatives);
    std::vector<std::string> subs;
    for (std::size_t j = 0; j < request.alternatives.size(); ++j) {
      alternative(at(here + ".firstAvailable", j), request.alternatives[j], true);
      subs.push_back(request.alternatives[j].name);
    }
    unique(here + ".firstAvailable", subs);
  }
  unique(path + ".requests", names);
  at_most(path + ".constraints", spec.constraints.size(), 32);
  for (std::size_t i = 0; i < spec.constraints.size(); ++i) {
    const dra::Constraint& constraint = spec.constraints[i];
    const std::string here = at(path + ".constraints", i);
    references(here + ".requests", constraint.requests, spec);
    if (constraint.match_attribute.empty() && constraint.distinct_attribute.empty()) {
      add(here, Kind::Required, "",
          "must specify exactly one of: `matchAttribute`, `distinctAttribute`");
    }
    if (!constraint.match_attribute.empty()) {
      qualified(here + ".matchAttribute", constraint.match_attribute, true);
    }
    if (!constraint.distinct_attribute.empty()) {
      qualified(here + ".distinctAttribute", constraint.distinct_attribute, true);
    }
  }
  at_most(path + ".config", spec.config.size(), 32);
  for (std::size_t i = 0; i < spec.config.size(); ++i) {
    const std::string here = at(path + ".config", i);
    references(here + ".requests", spec.config[i].requests, spec);
    opaque(here + ".opaque", spec.config[i].opaque);
  }
}

}  // namespace quorate::objects
