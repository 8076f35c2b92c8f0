package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
)

// server is the API server that Kueue talks to: the objects of a scenario in memory. (The fake
// client of controller-runtime does the same at ten times the cost.) It knows the calls that the
// scheduler makes; any other ends in a nil interface, hence a crash, never in a wrong answer.
type server struct {
	client.Client
	mutex     sync.Mutex // victims are written in parallel
	objects   map[key]client.Object
	workloads []*kueue.Workload // in the order of the scenario
}

type key struct {
	kind string
	name types.NamespacedName
}

func keyOf(object client.Object) key {
	return key{fmt.Sprintf("%T", object), client.ObjectKeyFromObject(object)}
}

func (s *server) add(object client.Object) {
	if wl, ok := object.(*kueue.Workload); ok {
		s.workloads = append(s.workloads, wl)
	}
	s.objects[keyOf(object)] = object
}

func (s *server) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	stored, found := s.objects[key{fmt.Sprintf("%T", into), name}]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, name.Name)
	}
	switch into := into.(type) {
	case *kueue.Workload:
		stored.(*kueue.Workload).DeepCopyInto(into)
	case *kueue.LocalQueue:
		stored.(*kueue.LocalQueue).DeepCopyInto(into)
	case *corev1.Namespace:
		stored.(*corev1.Namespace).DeepCopyInto(into)
	case *nodev1.RuntimeClass:
		stored.(*nodev1.RuntimeClass).DeepCopyInto(into)
	default:
		return fmt.Errorf("unexpected get of %T", into)
	}
	return nil
}

func (s *server) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var wanted client.ListOptions
	for _, option := range options {
		option.ApplyToList(&wanted)
	}
	switch into := into.(type) {
	case *kueue.WorkloadList:
		for _, wl := range s.workloads {
			if matches(&wanted, wl, workloadFields) {
				into.Items = append(into.Items, *wl.DeepCopy())
			}
		}
	case *kueue.LocalQueueList:
		return list(s, &wanted, queueFields, func(o *kueue.LocalQueue) { into.Items = append(into.Items, *o.DeepCopy()) })
	case *corev1.LimitRangeList:
		return list(s, &wanted, limitFields, func(o *corev1.LimitRange) { into.Items = append(into.Items, *o.DeepCopy()) })
	default:
		return fmt.Errorf("unexpected list of %T", into)
	}
	return nil
}

type fields map[string]client.IndexerFunc

var (
	workloadFields = fields{
		indexer.WorkloadQueueKey:        indexer.IndexWorkloadQueue,
		indexer.WorkloadClusterQueueKey: indexer.IndexWorkloadClusterQueue,
	}
	queueFields = fields{indexer.QueueClusterQueueKey: indexer.IndexQueueClusterQueue}
	limitFields = fields{indexer.LimitRangeHasContainerType: indexer.IndexLimitRangeHasContainerType}
)

func list[T client.Object](s *server, wanted *client.ListOptions, index fields, use func(T)) error {
	for _, object := range s.objects {
		if typed, ok := object.(T); ok && matches(wanted, typed, index) {
			use(typed)
		}
	}
	return nil
}

func matches(wanted *client.ListOptions, object client.Object, index fields) bool {
	if wanted.Namespace != "" && wanted.Namespace != object.GetNamespace() {
		return false
	}
	if wanted.FieldSelector == nil {
		return true
	}
	for _, requirement := range wanted.FieldSelector.Requirements() {
		has := false
		for _, value := range index[requirement.Field](object) {
			has = has || value == requirement.Value
		}
		if !has {
			return false
		}
	}
	return true
}

func (s *server) Status() client.SubResourceWriter { return statusWriter{server: s} }

type statusWriter struct {
	client.SubResourceWriter
	server *server
}

// Patch does what server-side apply by Kueue's one field manager does to the status of a Workload:
// conditions are merged by type, all else that Kueue owns is replaced, so that an admission that is
// no longer given goes away.
func (w statusWriter) Patch(_ context.Context, object client.Object, patch client.Patch, _ ...client.SubResourcePatchOption) error {
	given, ok := object.(*kueue.Workload)
	if !ok || patch.Type() != types.ApplyPatchType {
		return fmt.Errorf("unexpected patch of %T", object)
	}
	w.server.mutex.Lock()
	defer w.server.mutex.Unlock()
	stored, found := w.server.objects[keyOf(given)].(*kueue.Workload)
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "workloads"}, given.Name)
	}
	status := given.Status.DeepCopy()
	for _, condition := range stored.Status.Conditions {
		if apimeta.FindStatusCondition(status.Conditions, condition.Type) == nil {
			status.Conditions = append(status.Conditions, condition)
		}
	}
	status.ReclaimablePods = stored.Status.ReclaimablePods
	stored.Status = *status
	stored.DeepCopyInto(given)
	return nil
}
