package main

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Random values, few of each kind, so that they meet. Calm nodes have room and few taints, so that
// what relates pods to each other decides.
type dice struct {
	*rand.Rand
	calm bool
}

// Once in n times; on calm nodes once in so many more.
func (d *dice) trouble(n int) bool {
	if d.calm {
		n *= 6
	}
	return d.in(n)
}

func (d *dice) one(values ...string) string { return values[d.Intn(len(values))] }
func (d *dice) in(n int) bool               { return d.Intn(n) == 0 }

var namespaces = []string{"a", "b", "c"}

func (d *dice) cluster() *line {
	made := &line{}
	for i, name := range namespaces {
		made.Namespaces = append(made.Namespaces, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"team": []string{"x", "y", "x"}[i]}}})
	}
	for i, n := 0, 3+d.Intn(5); i < n; i++ {
		made.Nodes = append(made.Nodes, d.node(fmt.Sprintf("n%d", i)))
	}
	for i, n := 0, d.Intn(12); i < n; i++ {
		pod := d.pod(fmt.Sprintf("p%d", i), made)
		pod.Spec.NodeName = made.Nodes[d.Intn(len(made.Nodes))].Name
		if d.in(8) {
			now := metav1.Unix(1700000000, 0)
			pod.DeletionTimestamp = &now
		}
		made.Pods = append(made.Pods, pod)
	}
	return made
}

func (d *dice) node(name string) *v1.Node {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"kubernetes.io/hostname": name}}}
	if !d.in(6) {
		node.Labels["zone"] = d.one("z1", "z2", "z3")
	}
	if !d.in(4) {
		node.Labels["rack"] = d.one("r1", "r2")
	}
	if d.in(2) {
		node.Labels["disk"] = d.one("ssd", "hdd")
	}
	if d.in(3) {
		node.Labels["gen"] = d.one("1", "2", "3", "x")
	}
	if d.trouble(8) {
		node.Spec.Unschedulable = true
	}
	if d.trouble(4) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: d.one("k", "l"), Value: d.one("v", "w"),
			Effect: v1.TaintEffect(d.one("NoSchedule", "NoExecute", "PreferNoSchedule"))})
	}
	node.Status.Allocatable = v1.ResourceList{
		"cpu":    resource.MustParse(d.one("2", "4", "4", "1500m")),
		"memory": resource.MustParse(d.one("2Gi", "4Gi", "6Gi")),
		"pods":   resource.MustParse(d.one("2", "5", "110", "110")),
	}
	if d.calm {
		node.Status.Allocatable["cpu"] = resource.MustParse(d.one("8", "16"))
		node.Status.Allocatable["memory"] = resource.MustParse("32Gi")
		node.Status.Allocatable["pods"] = resource.MustParse("110")
	}
	if d.in(2) {
		node.Status.Allocatable["example.com/gpu"] = resource.MustParse(d.one("1", "2", "4"))
	}
	return node
}

func (d *dice) selector() *metav1.LabelSelector {
	switch d.Intn(8) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "app", Operator: metav1.LabelSelectorOperator(d.one("Exists", "DoesNotExist"))}}}
	case 3:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "app", Operator: metav1.LabelSelectorOperator(d.one("In", "NotIn")),
			Values: []string{d.one("web", "db"), "x"}}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.one("web", "db", "x")}}
}

func (d *dice) key() string { return d.one("kubernetes.io/hostname", "zone", "zone", "rack") }

func (d *dice) term() v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{LabelSelector: d.selector(), TopologyKey: d.key()}
	if d.in(4) {
		term.Namespaces = append(term.Namespaces, namespaces[d.Intn(3)])
	}
	if d.in(5) {
		term.NamespaceSelector = &metav1.LabelSelector{}
		if d.in(2) {
			term.NamespaceSelector.MatchLabels = map[string]string{"team": d.one("x", "y", "z")}
		}
	}
	return term
}

func (d *dice) weighted() []v1.WeightedPodAffinityTerm {
	return []v1.WeightedPodAffinityTerm{{Weight: int32(1 + d.Intn(100)), PodAffinityTerm: d.term()}}
}

func (d *dice) spread() v1.TopologySpreadConstraint {
	rule := v1.TopologySpreadConstraint{MaxSkew: int32(1 + d.Intn(2)), TopologyKey: d.key(),
		WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: d.selector()}
	if d.in(3) {
		rule.WhenUnsatisfiable = v1.ScheduleAnyway
	} else if d.in(3) {
		n := int32(1 + d.Intn(4))
		rule.MinDomains = &n
	}
	if d.in(3) {
		policy := v1.NodeInclusionPolicy(d.one("Honor", "Ignore"))
		rule.NodeAffinityPolicy = &policy
	}
	if d.in(3) {
		policy := v1.NodeInclusionPolicy(d.one("Honor", "Ignore"))
		rule.NodeTaintsPolicy = &policy
	}
	if rule.LabelSelector != nil && d.in(4) {
		rule.MatchLabelKeys = []string{"ver"}
	}
	return rule
}

func (d *dice) nodeTerm() v1.NodeSelectorTerm {
	term := v1.NodeSelectorTerm{}
	switch d.Intn(6) {
	case 0:
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn,
			Values: []string{fmt.Sprintf("n%d", d.Intn(5))}}}
	case 1:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: "gen",
			Operator: v1.NodeSelectorOperator(d.one("Gt", "Lt")), Values: []string{d.one("1", "2")}}}
	case 2:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: "disk",
			Operator: v1.NodeSelectorOperator(d.one("Exists", "DoesNotExist"))}}
	default:
		term.MatchExpressions = []v1.NodeSelectorRequirement{{Key: d.one("zone", "disk"),
			Operator: v1.NodeSelectorOperator(d.one("In", "In", "NotIn")),
			Values:   []string{d.one("z1", "z2", "ssd"), d.one("z2", "z3", "hdd")}}}
	}
	return term
}

func (d *dice) pod(name string, cluster *line) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: d.one("a", "a", "b", "c"),
		UID: "", Labels: map[string]string{}}}
	if !d.in(5) {
		pod.Labels["app"] = d.one("web", "db", "x")
	}
	if d.in(2) {
		pod.Labels["ver"] = d.one("1", "2")
	}
	for i, n := 0, 1+d.Intn(2); i < n; i++ {
		container := v1.Container{Name: fmt.Sprintf("c%d", i)}
		requests := v1.ResourceList{}
		if !d.in(4) {
			requests["cpu"] = resource.MustParse(d.one("100m", "300m", "700m", "1"))
		}
		if !d.in(3) {
			requests["memory"] = resource.MustParse(d.one("128Mi", "500Mi", "1Gi"))
		}
		if d.in(8) {
			requests["example.com/gpu"] = resource.MustParse(d.one("1", "2", "5"))
		}
		container.Resources.Requests = requests
		if d.in(8) {
			container.Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: int32(80 + d.Intn(2)),
				HostIP: d.one("", "10.0.0.1", "0.0.0.0"), Protocol: v1.Protocol(d.one("TCP", "UDP"))}}
		}
		if d.in(6) {
			always := v1.ContainerRestartPolicyAlways
			if d.in(2) {
				container.RestartPolicy = &always
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
		} else {
			pod.Spec.Containers = append(pod.Spec.Containers, container)
		}
	}
	if d.in(8) {
		pod.Spec.NodeSelector = map[string]string{"zone": d.one("z1", "z2")}
	}
	if d.in(3) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: d.one("k", "l", "node.kubernetes.io/unschedulable"),
			Operator: v1.TolerationOperator(d.one("Exists", "Exists", "")), Effect: v1.TaintEffect(d.one("", "NoSchedule"))})
		if last := &pod.Spec.Tolerations[0]; last.Operator == "" {
			last.Value = d.one("v", "w")
		}
	}
	affinity := &v1.Affinity{}
	if d.in(6) {
		affinity.NodeAffinity = &v1.NodeAffinity{}
		if d.in(2) {
			required := &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{d.nodeTerm()}}
			if d.in(2) {
				required.NodeSelectorTerms = append(required.NodeSelectorTerms, d.nodeTerm())
			}
			affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
		} else {
			affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []v1.PreferredSchedulingTerm{{
				Weight: int32(1 + d.Intn(100)), Preference: d.nodeTerm()}}
		}
	}
	if d.in(3) {
		affinity.PodAffinity = &v1.PodAffinity{}
		for d.in(2) {
			affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
				affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, d.term())
		}
		if d.in(2) {
			affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = d.weighted()
		}
	}
	if d.in(3) {
		affinity.PodAntiAffinity = &v1.PodAntiAffinity{}
		for d.in(2) {
			affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
				affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, d.term())
		}
		if d.in(2) {
			affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = d.weighted()
		}
	}
	if affinity.NodeAffinity != nil || affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil {
		pod.Spec.Affinity = affinity
	}
	for d.in(3) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, d.spread())
	}
	return pod
}
