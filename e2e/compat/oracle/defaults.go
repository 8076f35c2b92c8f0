package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// applyDefaults fills in what the API server would have filled in from the CRDs' schemas before
// Kueue saw the objects, and the namespaces that objects name but the scenario does not give.
func (q *question) applyDefaults() {
	for _, cq := range q.clusterQueues {
		defaultClusterQueue(&cq.Spec)
	}
	for _, wl := range q.workloads {
		defaultWorkload(&wl.Spec)
	}
	known := map[string]bool{}
	for _, namespace := range q.namespaces {
		known[namespace.Name] = true
	}
	add := func(name string) {
		if !known[name] {
			known[name] = true
			q.namespaces = append(q.namespaces, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	}
	for _, queue := range q.localQueues {
		add(queue.Namespace)
	}
	for _, wl := range q.workloads {
		add(wl.Namespace)
	}
}

func defaultClusterQueue(spec *kueue.ClusterQueueSpec) {
	if spec.QueueingStrategy == "" {
		spec.QueueingStrategy = kueue.BestEffortFIFO
	}
	if spec.FlavorFungibility == nil {
		spec.FlavorFungibility = &kueue.FlavorFungibility{}
	}
	setDefault(&spec.FlavorFungibility.WhenCanBorrow, kueue.MayStopSearch)
	setDefault(&spec.FlavorFungibility.WhenCanPreempt, kueue.TryNextFlavor)
	if spec.Preemption == nil {
		spec.Preemption = &kueue.ClusterQueuePreemption{}
	}
	setDefault(&spec.Preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
	setDefault(&spec.Preemption.WithinClusterQueue, kueue.PreemptionPolicyNever)
	if spec.Preemption.BorrowWithinCohort == nil {
		spec.Preemption.BorrowWithinCohort = &kueue.BorrowWithinCohort{}
	}
	setDefault(&spec.Preemption.BorrowWithinCohort.Policy, kueue.BorrowWithinCohortPolicyNever)
	if spec.StopPolicy == nil {
		spec.StopPolicy = ptr.To(kueue.None)
	}
}

func defaultWorkload(spec *kueue.WorkloadSpec) {
	if spec.Active == nil {
		spec.Active = ptr.To(true)
	}
	for i := range spec.PodSets {
		setDefault(&spec.PodSets[i].Name, kueue.DefaultPodSetName)
	}
}

func setDefault[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}
