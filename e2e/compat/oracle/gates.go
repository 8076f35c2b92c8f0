package main

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	_ "sigs.k8s.io/kueue/pkg/features" // registers the gates
)

// laterGates came after 0.17.0, which behaves as if they were off.
var laterGates = map[string]bool{
	"UnadmittedWorkloadsObservability":                true,
	"RecomputeAssignmentUponPreemptionTargetsOverlap": true,
	"TASRecomputeAssignmentWithinSchedulingCycle":     true,
	"FlavorFungibilityPreserveScanProgress":           true,
}

var defaultGates = func() map[featuregate.Feature]bool {
	all := map[featuregate.Feature]bool{}
	for gate := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		all[gate] = utilfeature.DefaultFeatureGate.Enabled(gate)
	}
	return all
}()

// setGates sets exactly the given gates, all others to their defaults. Gates are global to the
// process, so one process answers one scenario at a time.
func setGates(wanted map[string]bool) error {
	change := map[string]bool{}
	for gate, byDefault := range defaultGates {
		on := byDefault
		if value, given := wanted[string(gate)]; given {
			on = value
		}
		if utilfeature.DefaultFeatureGate.Enabled(gate) != on {
			change[string(gate)] = on
		}
	}
	for name, on := range wanted {
		if _, known := defaultGates[featuregate.Feature(name)]; known {
			continue
		}
		if !laterGates[name] {
			return fmt.Errorf("unknown feature gate %s", name)
		}
		if on {
			return fmt.Errorf("feature gate %s does not exist in this version", name)
		}
	}
	if len(change) == 0 {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(change)
}
