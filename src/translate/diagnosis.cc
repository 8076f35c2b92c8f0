#include "src/translate/diagnosis.h"

#include <string>

#include "src/base/quantity.h"

namespace quorate::translate {

void write_diagnosis(objects::JsonWriter& out, const scheduler::GroupDiagnosis& diagnosis) {
  out.field("layer", scheduler::layer_of(diagnosis.cause));
  out.field("cause", scheduler::name_of(diagnosis.cause));
  out.field("diagnosis", std::string_view(diagnosis.text()));
  out.field_unless_empty("certificate", diagnosis.certificate);
  out.key("proof").open_list();
  for (const scheduler::DomainFinding& finding : diagnosis.domains) {
    out.open().field_unless_empty("topologyKey", finding.topology_key);
    out.field_unless_empty("domain", finding.domain);
    out.field("fit", static_cast<std::int64_t>(finding.fit));
    out.field("minimum", static_cast<std::int64_t>(finding.wanted));
    out.key("resources").open_list();
    for (const scheduler::ResourceShortage& one : finding.resources) {
      const auto amount = [&](std::int64_t units) {
        return format_quantity(one.resource, Quantity{units});
      };
      out.open().field("resource", std::string_view(one.resource));
      out.field("need", std::string_view(amount(one.need)));
      out.field("have", std::string_view(amount(one.have))).key("pieces").open_list();
      for (const std::int64_t piece : one.pieces) out.text(amount(piece));
      out.close_list().close();
    }
    out.close_list().key("refusals").open_list();
    for (const auto& [reason, nodes] : finding.refusals) {
      out.open().field("reason", std::string_view(reason)).field("nodes", nodes).close();
    }
    out.close_list().close();
  }
  out.close_list();
}

}  // namespace quorate::translate
