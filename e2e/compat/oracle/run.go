package main

import (
	"fmt"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"
)

// ask puts a question to Kueue.
func ask(q *question) (*answer, error) {
	if err := setGates(q.gates); err != nil {
		return nil, err
	}
	w, err := newWorld(q)
	if err != nil {
		return nil, err
	}
	a := &answer{Cycles: []cycle{}}
	for n := 1; n <= q.cycles && w.hasHead(); n++ {
		c, err := w.runCycle(n)
		if err != nil {
			return nil, fmt.Errorf("cycle %d: %w", n, err)
		}
		a.Cycles = append(a.Cycles, *c)
	}
	a.Final, err = w.describeFinal()
	return a, err
}

// hasHead says whether a cycle would find something to do; it blocks otherwise.
func (w *world) hasHead() bool {
	for cq, keys := range w.queues.Dump() {
		if len(keys) > 0 && w.cache.ClusterQueueActive(cq) {
			return true
		}
	}
	return false
}

func (w *world) runCycle(number int) (*cycle, error) {
	before, err := w.objects()
	if err != nil {
		return nil, err
	}
	w.attempts.take()
	oneCycle(w.scheduler, w.ctx)
	after, err := w.objects()
	if err != nil {
		return nil, err
	}

	c := &cycle{Cycle: number, Admitted: []admitted{}, Preempted: []preempted{}}
	var evicted []*kueue.Workload
	for _, key := range sortedKeys(after) {
		wl, old := after[key], before[key]
		if workload.HasQuotaReservation(wl) && !workload.HasQuotaReservation(old) {
			c.Admitted = append(c.Admitted, describeAdmission(wl))
		}
		if workload.IsEvicted(wl) && !workload.IsEvicted(old) {
			c.Preempted = append(c.Preempted, w.describePreemption(wl))
		}
		if workload.IsEvicted(wl) && workload.HasQuotaReservation(wl) {
			evicted = append(evicted, wl)
		}
	}
	// What the cycle did is told before evictions are completed.
	c.Pending = w.describePending(w.attempts.take(), after)
	for _, wl := range evicted {
		if err := w.observeEviction(wl); err != nil {
			return nil, err
		}
	}
	if len(evicted) > 0 && w.question.finishEvictions {
		w.retryParked(w.ctx)
	}
	return c, nil
}

// observeEviction does what Kueue's controllers do when they see the Evicted condition: the
// cache learns of it, and, if evictions are to be completed, the job stops, quota is released and
// the workload is queued again.
func (w *world) observeEviction(wl *kueue.Workload) error {
	key := workload.Key(wl)
	w.expectations.ObservedUID(w.log, client.ObjectKeyFromObject(wl), wl.UID)
	if !w.question.finishEvictions {
		w.cache.AddOrUpdateWorkload(w.log, wl.DeepCopy())
		return nil
	}
	eviction := apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadEvicted)
	err := workload.PatchAdmissionStatus(w.ctx, w.client, wl, w.clock, func(wl *kueue.Workload) (bool, error) {
		back := eviction.Reason == kueue.WorkloadEvictedByPreemption || eviction.Reason == kueue.WorkloadEvictedDueToNodeFailures
		workload.SetRequeuedCondition(wl, eviction.Reason, eviction.Message, back)
		workload.UnsetQuotaReservationWithCondition(wl, "Pending", eviction.Message, w.clock.Now())
		return true, nil
	})
	if err != nil {
		return err
	}
	released := &kueue.Workload{}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(wl), released); err != nil {
		return err
	}
	w.queues.QueueAssociatedInadmissibleWorkloadsAfter(w.ctx, key, func() {
		err = w.cache.DeleteWorkload(w.log, key)
		if err == nil {
			workload.AdjustResources(w.ctx, w.client, released)
			err = w.queues.AddOrUpdateWorkloadWithoutLock(w.log, released)
		}
	})
	return err
}

func (w *world) objects() (map[workload.Reference]*kueue.Workload, error) {
	var list kueue.WorkloadList
	if err := w.client.List(w.ctx, &list); err != nil {
		return nil, err
	}
	byKey := make(map[workload.Reference]*kueue.Workload, len(list.Items))
	for i := range list.Items {
		byKey[workload.Key(&list.Items[i])] = &list.Items[i]
	}
	return byKey, nil
}

func sortedKeys(objects map[workload.Reference]*kueue.Workload) []workload.Reference {
	keys := make([]workload.Reference, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
