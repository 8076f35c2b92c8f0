#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

class DefaultBinder final : public BindPlugin {
 public:
  std::string_view name() const override { return "DefaultBinder"; }

  std::optional<Bind> bind(const BindContext& at) const override {
    Bind bind{at.pod.key, at.pod.uid, std::string(at.node), std::nullopt};
    if (at.group != nullptr && at.group->spec != nullptr) bind.group = at.group->spec->key;
    return bind;
  }
};

}  // namespace

const Plugin& default_binder() {
  static const DefaultBinder kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
