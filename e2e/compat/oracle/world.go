package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/workload"
)

// world is Kueue's scheduling half, loaded with one scenario: its caches, its queues, its
// scheduler, and a server that holds the objects.
type world struct {
	ctx          context.Context
	log          logr.Logger
	question     *question
	clock        *testingclock.FakeClock
	client       *server
	cache        *schdcache.Cache
	queues       *qcache.Manager
	retryParked  func(context.Context) int
	scheduler    *scheduler.Scheduler
	expectations *expectations.Store
	attempts     *attempts
}

func newServer(q *question) *server {
	s := &server{objects: map[key]client.Object{}}
	for _, o := range q.namespaces {
		s.add(o.DeepCopy())
	}
	for _, o := range q.localQueues {
		s.add(o.DeepCopy())
	}
	for _, o := range q.workloads {
		s.add(o.DeepCopy())
	}
	for _, o := range q.others {
		s.add(o.DeepCopyObject().(client.Object))
	}
	return s
}

// newWorld loads the caches and queues in the order in which Kueue's own tests do.
func newWorld(q *question) (*world, error) {
	log := logr.Discard()
	w := &world{
		ctx:          ctrl.LoggerInto(context.Background(), log),
		log:          log,
		question:     q,
		clock:        testingclock.NewFakeClock(q.now),
		client:       newServer(q),
		expectations: preemptexpectations.New(),
		attempts:     &attempts{},
	}
	fairSharing := q.config.FairSharing
	cacheOptions := []schdcache.Option{schdcache.WithFairSharing(fairSharing != nil)}
	queueOptions := []qcache.Option{qcache.WithClock(w.clock), qcache.WithPreemptionExpectations(w.expectations)}
	if resources := q.config.Resources; resources != nil {
		cacheOptions = append(cacheOptions,
			schdcache.WithExcludedResourcePrefixes(resources.ExcludeResourcePrefixes),
			schdcache.WithResourceTransformations(resources.Transformations))
		queueOptions = append(queueOptions,
			qcache.WithExcludedResourcePrefixes(resources.ExcludeResourcePrefixes),
			qcache.WithResourceTransformations(resources.Transformations))
	}
	w.cache = schdcache.New(w.client, cacheOptions...)
	queues, requeuer := qcache.NewManagerForUnitTestsWithRequeuer(w.client, w.cache, queueOptions...)
	w.queues, w.retryParked = queues, requeuer.ProcessRequeues

	if err := w.load(); err != nil {
		return nil, err
	}
	w.retryParked(w.ctx)
	w.scheduler = scheduler.New(w.queues, w.cache, w.client, w.attempts,
		scheduler.WithFairSharing(fairSharing),
		scheduler.WithClock(nil, w.clock),
		scheduler.WithPreemptionExpectations(w.expectations))
	setAdmissionRoutine(w.scheduler, inline{})
	return w, nil
}

func (w *world) load() error {
	q := w.question
	for _, flavor := range q.flavors {
		w.cache.AddOrUpdateResourceFlavor(w.log, flavor.DeepCopy())
	}
	for _, topology := range q.topologies {
		w.cache.AddOrUpdateTopology(w.log, topology.DeepCopy())
	}
	for _, node := range q.nodes {
		w.cache.TASCache().SyncNode(node.DeepCopy())
	}
	for _, pod := range q.pods {
		w.cache.TASCache().Update(pod.DeepCopy(), w.log)
	}
	for _, check := range q.checks {
		w.cache.AddOrUpdateAdmissionCheck(w.log, check.DeepCopy())
	}
	for _, cohort := range q.cohorts {
		if err := w.cache.AddOrUpdateCohort(cohort.DeepCopy()); err != nil {
			return fmt.Errorf("cohort %s: %w", cohort.Name, err)
		}
		w.queues.AddOrUpdateCohort(w.ctx, cohort.DeepCopy())
	}
	for _, queue := range q.localQueues {
		if stopped(queue.Spec.StopPolicy) {
			continue // Kueue's controller takes a stopped LocalQueue out of the queue manager
		}
		if err := w.queues.AddLocalQueue(w.ctx, queue.DeepCopy()); err != nil {
			return fmt.Errorf("LocalQueue %s/%s: %w", queue.Namespace, queue.Name, err)
		}
	}
	for _, cq := range q.clusterQueues {
		if err := w.cache.AddClusterQueue(w.ctx, cq.DeepCopy()); err != nil {
			return fmt.Errorf("ClusterQueue %s: %w", cq.Name, err)
		}
		if err := w.queues.AddClusterQueue(w.ctx, cq.DeepCopy()); err != nil {
			return fmt.Errorf("ClusterQueue %s: %w", cq.Name, err)
		}
	}
	return nil
}

func stopped(policy *kueue.StopPolicy) bool { return policy != nil && *policy != kueue.None }

// attempts is the event recorder: it remembers which workloads an admission cycle looked at and
// left pending.
type attempts struct {
	mutex   sync.Mutex
	pending map[workload.Reference]bool
}

func (a *attempts) Event(object runtime.Object, _, reason, _ string) {
	wl, ok := object.(*kueue.Workload)
	if !ok || reason != "Pending" {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.pending == nil {
		a.pending = map[workload.Reference]bool{}
	}
	a.pending[workload.Key(wl)] = true
}

func (a *attempts) Eventf(object runtime.Object, eventType, reason, format string, args ...any) {
	a.Event(object, eventType, reason, "")
}

func (a *attempts) AnnotatedEventf(object runtime.Object, _ map[string]string, eventType, reason, format string, args ...any) {
	a.Event(object, eventType, reason, "")
}

// take returns what was remembered and starts afresh.
func (a *attempts) take() map[workload.Reference]bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	taken := a.pending
	a.pending = nil
	return taken
}
