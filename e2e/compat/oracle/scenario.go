package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// scenario is one line of input: the objects of a cluster, and the flags and the configuration
// with which the same question is put to `quorate simulate`.
type scenario struct {
	Name    string            `json:"name"`
	Args    []string          `json:"args"`
	Config  json.RawMessage   `json:"config,omitempty"`
	Objects []json.RawMessage `json:"objects"`
}

// question is a scenario after reading.
type question struct {
	now             time.Time
	cycles          int
	finishEvictions bool
	gates           map[string]bool
	config          configapi.Configuration

	namespaces    []*corev1.Namespace
	nodes         []*corev1.Node
	pods          []*corev1.Pod
	others        []client.Object
	flavors       []*kueue.ResourceFlavor
	topologies    []*kueue.Topology
	checks        []*kueue.AdmissionCheck
	cohorts       []*kueue.Cohort
	clusterQueues []*kueue.ClusterQueue
	localQueues   []*kueue.LocalQueue
	workloads     []*kueue.Workload
}

// read understands a scenario. Anything it does not know is an error, never skipped.
func read(s *scenario) (*question, error) {
	q := &question{cycles: 1, finishEvictions: true, gates: map[string]bool{}}
	if err := q.readArgs(s.Args); err != nil {
		return nil, err
	}
	if len(s.Config) != 0 {
		if err := yaml.UnmarshalStrict(s.Config, &q.config); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
	}
	for i, raw := range s.Objects {
		if err := q.readObject(raw); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
	}
	q.applyDefaults()
	return q, nil
}

// ordersMatter says whether some pod set asks for several resources: Kueue goes through those in
// random order.
func (q *question) ordersMatter() bool {
	if q.config.Resources != nil && len(q.config.Resources.Transformations) > 0 {
		return true
	}
	for _, wl := range q.workloads {
		for i := range wl.Spec.PodSets {
			names := map[corev1.ResourceName]bool{}
			spec := &wl.Spec.PodSets[i].Template.Spec
			for _, container := range append(slices.Clone(spec.Containers), spec.InitContainers...) {
				for name := range container.Resources.Requests {
					names[name] = true
				}
				for name := range container.Resources.Limits {
					names[name] = true
				}
			}
			if len(names) > 1 {
				return true
			}
		}
	}
	for _, cq := range q.clusterQueues {
		for _, group := range cq.Spec.ResourceGroups {
			if len(group.CoveredResources) > 1 && slices.Contains(group.CoveredResources, corev1.ResourcePods) {
				return true
			}
		}
	}
	return false
}

func (q *question) readArgs(args []string) error {
	for _, arg := range args {
		flag, value, found := strings.Cut(arg, "=")
		if !found {
			return fmt.Errorf("argument %q: want --flag=value", arg)
		}
		var err error
		switch flag {
		case "--now":
			q.now, err = time.Parse(time.RFC3339, value)
		case "--cycles":
			q.cycles, err = strconv.Atoi(value)
		case "--finish-evictions":
			q.finishEvictions, err = strconv.ParseBool(value)
		case "--feature-gates":
			err = q.readGates(value)
		default:
			err = fmt.Errorf("unknown flag")
		}
		if err != nil {
			return fmt.Errorf("argument %q: %w", arg, err)
		}
	}
	return nil
}

func (q *question) readGates(list string) error {
	for _, item := range strings.Split(list, ",") {
		if item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return err
		}
		q.gates[name] = on
	}
	return nil
}

func (q *question) readObject(raw json.RawMessage) error {
	var meta struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &meta); err != nil {
		return err
	}
	into := func(object any) error { return yaml.UnmarshalStrict(raw, object) }
	switch meta.APIVersion + "/" + meta.Kind {
	case "v1/Namespace":
		return keep(&q.namespaces, into)
	case "v1/Node":
		return keep(&q.nodes, into)
	case "v1/Pod":
		return keep(&q.pods, into)
	case "v1/LimitRange":
		return keepOther[corev1.LimitRange](q, into)
	case "node.k8s.io/v1/RuntimeClass":
		return keepOther[nodev1.RuntimeClass](q, into)
	case "scheduling.k8s.io/v1/PriorityClass":
		return keepOther[schedulingv1.PriorityClass](q, into)
	case "kueue.x-k8s.io/v1beta2/ResourceFlavor":
		return keep(&q.flavors, into)
	case "kueue.x-k8s.io/v1beta2/Topology":
		return keep(&q.topologies, into)
	case "kueue.x-k8s.io/v1beta2/AdmissionCheck":
		return keep(&q.checks, into)
	case "kueue.x-k8s.io/v1beta2/Cohort":
		return keep(&q.cohorts, into)
	case "kueue.x-k8s.io/v1beta2/ClusterQueue":
		return keep(&q.clusterQueues, into)
	case "kueue.x-k8s.io/v1beta2/LocalQueue":
		return keep(&q.localQueues, into)
	case "kueue.x-k8s.io/v1beta2/Workload":
		return keep(&q.workloads, into)
	}
	return fmt.Errorf("unknown kind %s of %s", meta.Kind, meta.APIVersion)
}

func keep[T any](list *[]*T, into func(any) error) error {
	object := new(T)
	if err := into(object); err != nil {
		return err
	}
	*list = append(*list, object)
	return nil
}

func keepOther[T any, P interface {
	*T
	client.Object
}](q *question, into func(any) error) error {
	object := P(new(T))
	if err := into(object); err != nil {
		return err
	}
	q.others = append(q.others, object)
	return nil
}
