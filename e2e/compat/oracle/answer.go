package main

import (
	"cmp"
	"slices"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/util/tas"
	"sigs.k8s.io/kueue/pkg/workload"
)

// answer has the shape of what `quorate simulate -o json` prints, as far as Kueue can fill it.
type answer struct {
	Cycles []cycle `json:"cycles"`
	Final  final   `json:"final"`
}

type cycle struct {
	Cycle     int         `json:"cycle"`
	Admitted  []admitted  `json:"admitted"`
	Preempted []preempted `json:"preempted"`
	Pending   []pending   `json:"pending"`
}

type admitted struct {
	Workload      string   `json:"workload"`
	ClusterQueue  string   `json:"clusterQueue"`
	QuotaReserved bool     `json:"quotaReserved"`
	Admitted      bool     `json:"admitted"`
	PodSets       []podSet `json:"podSets"`
}

type podSet struct {
	Name     string            `json:"name"`
	Count    int32             `json:"count"`
	Flavors  map[string]string `json:"flavors,omitempty"`
	Usage    map[string]string `json:"usage,omitempty"`
	Topology *topology         `json:"topology,omitempty"`
}

type topology struct {
	Levels  []string `json:"levels"`
	Domains []domain `json:"domains"`
}

type domain struct {
	Values []string `json:"values"`
	Count  int32    `json:"count"`
}

type preempted struct {
	Workload  string `json:"workload"`
	Preemptor string `json:"preemptor"`
	Reason    string `json:"reason"`
}

// pending is a workload that waits after the cycle. Evaluated: the cycle looked at it, so reason and
// message are of this cycle; else they are absent. Messages: all that were seen, if several were.
type pending struct {
	Workload     string `json:"workload"`
	ClusterQueue string `json:"clusterQueue"`
	Where        string `json:"where"`
	Evaluated    bool   `json:"evaluated"`
	Reason       string `json:"reason,omitempty"`
	Message      string `json:"message,omitempty"`

	Messages []string `json:"messages,omitempty"`
}

type final struct {
	Usage  map[string]map[string]map[string]string `json:"usage"`
	Queues map[string]buckets                      `json:"queues"`
}

type buckets struct {
	Active       []string `json:"active"`
	Inadmissible []string `json:"inadmissible"`
}

func describeAdmission(wl *kueue.Workload) admitted {
	admission := wl.Status.Admission
	a := admitted{
		Workload:      string(workload.Key(wl)),
		ClusterQueue:  string(admission.ClusterQueue),
		QuotaReserved: true,
		Admitted:      workload.IsAdmitted(wl),
		PodSets:       []podSet{},
	}
	for _, assignment := range admission.PodSetAssignments {
		ps := podSet{
			Name:    string(assignment.Name),
			Flavors: map[string]string{},
			Usage:   map[string]string{},
		}
		if assignment.Count != nil {
			ps.Count = *assignment.Count
		}
		for resource, flavor := range assignment.Flavors {
			ps.Flavors[string(resource)] = string(flavor)
		}
		for resource, amount := range assignment.ResourceUsage {
			ps.Usage[string(resource)] = amount.String()
		}
		ps.Topology = describeTopology(assignment.TopologyAssignment)
		a.PodSets = append(a.PodSets, ps)
	}
	return a
}

func describeTopology(assignment *kueue.TopologyAssignment) *topology {
	if assignment == nil {
		return nil
	}
	t := &topology{Levels: assignment.Levels, Domains: []domain{}}
	for d := range tas.InternalSeqFrom(assignment) {
		t.Domains = append(t.Domains, domain{Values: d.Values, Count: d.Count})
	}
	return t
}

func (w *world) describePreemption(wl *kueue.Workload) preempted {
	p := preempted{Workload: string(workload.Key(wl))}
	condition := apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadPreempted)
	if condition == nil || condition.Status != "True" {
		p.Reason = apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadEvicted).Reason
		return p
	}
	p.Reason = condition.Reason
	// "... a workload (UID: <uid>, JobUID: ..."
	_, rest, _ := strings.Cut(condition.Message, "(UID: ")
	uid, _, _ := strings.Cut(rest, ",")
	for _, other := range w.question.workloads {
		if string(other.UID) == uid {
			p.Preemptor = string(workload.Key(other))
		}
	}
	return p
}

func (w *world) describePending(evaluated map[workload.Reference]bool, objects map[workload.Reference]*kueue.Workload) []pending {
	list := []pending{}
	collect := func(where string, dump map[kueue.ClusterQueueReference][]workload.Reference) {
		for cq, keys := range dump {
			for _, key := range keys {
				p := pending{Workload: string(key), ClusterQueue: string(cq), Where: where, Evaluated: evaluated[key]}
				if wl := objects[key]; wl != nil && p.Evaluated {
					if condition := apimeta.FindStatusCondition(wl.Status.Conditions, kueue.WorkloadQuotaReserved); condition != nil {
						p.Reason, p.Message = condition.Reason, condition.Message
					}
				}
				list = append(list, p)
			}
		}
	}
	collect("active", w.queues.Dump())
	collect("inadmissible", w.queues.DumpInadmissible())
	slices.SortFunc(list, func(a, b pending) int { return cmp.Compare(a.Workload, b.Workload) })
	return list
}

func (w *world) describeFinal() (final, error) {
	f := final{Usage: map[string]map[string]map[string]string{}, Queues: map[string]buckets{}}
	active, inadmissible := w.queues.Dump(), w.queues.DumpInadmissible()
	for _, cq := range w.question.clusterQueues {
		stats, err := w.cache.Usage(cq)
		if err != nil {
			return f, err
		}
		usage := map[string]map[string]string{}
		for _, flavor := range stats.ReservedResources {
			for _, resource := range flavor.Resources {
				if resource.Total.IsZero() {
					continue
				}
				if usage[string(flavor.Name)] == nil {
					usage[string(flavor.Name)] = map[string]string{}
				}
				usage[string(flavor.Name)][string(resource.Name)] = resource.Total.String()
			}
		}
		f.Usage[cq.Name] = usage
		name := kueue.ClusterQueueReference(cq.Name)
		f.Queues[cq.Name] = buckets{Active: names(active[name]), Inadmissible: names(inadmissible[name])}
	}
	return f, nil
}

func names(keys []workload.Reference) []string {
	list := []string{}
	for _, key := range keys {
		list = append(list, string(key))
	}
	slices.Sort(list)
	return list
}
