#pragma once

namespace quorate::kube {

// On the bookmark that ends the initial list of a watch-list.
inline constexpr char kInitialEventsEnd[] = "k8s.io/initial-events-end";

}  // namespace quorate::kube
