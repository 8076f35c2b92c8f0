// Asks the plugins of the released kube-scheduler: generates small clusters and pods, runs each
// plugin's PreFilter, Filter, PreScore, Score and NormalizeScore on them, and prints one JSON line
// per cluster with what they answered.
//
//	oracle -seed 1 -clusters 300 -pods 20 > cases.jsonl
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	feature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// One plugin as the default profile has it.
type entry struct {
	make   frameworkruntime.PluginFactory
	args   runtime.Object
	weight int64
}

func entries() []entry {
	features := plfeature.NewSchedulerFeaturesFromGates(feature.DefaultFeatureGate)
	resources := []config.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}
	return []entry{
		{frameworkruntime.FactoryAdapter(features, nodename.New), nil, 0},
		{frameworkruntime.FactoryAdapter(features, nodeunschedulable.New), nil, 0},
		{frameworkruntime.FactoryAdapter(features, tainttoleration.New), nil, 3},
		{frameworkruntime.FactoryAdapter(features, nodeaffinity.New), &config.NodeAffinityArgs{}, 2},
		{frameworkruntime.FactoryAdapter(features, nodeports.New), nil, 0},
		{frameworkruntime.FactoryAdapter(features, noderesources.NewFit), &config.NodeResourcesFitArgs{
			ScoringStrategy: &config.ScoringStrategy{Type: config.LeastAllocated, Resources: resources},
		}, 1},
		{frameworkruntime.FactoryAdapter(features, podtopologyspread.New), &config.PodTopologySpreadArgs{
			DefaultingType: config.ListDefaulting,
		}, 2},
		{frameworkruntime.FactoryAdapter(features, interpodaffinity.New), &config.InterPodAffinityArgs{
			HardPodAffinityWeight: 1,
		}, 2},
		{frameworkruntime.FactoryAdapter(features, noderesources.NewBalancedAllocation),
			&config.NodeResourcesBalancedAllocationArgs{Resources: resources}, 1},
	}
}

// What the plugins say of one pod.
type answer struct {
	Pod    *v1.Pod  `json:"pod"`
	Pass   []string `json:"pass"`
	Text   string   `json:"text"`             // the fit error, as if no node had passed
	Scores []int64  `json:"scores,omitempty"` // weighted sum by node of pass, if several
}

type line struct {
	Nodes      []*v1.Node      `json:"nodes"`
	Pods       []*v1.Pod       `json:"pods"`
	Namespaces []*v1.Namespace `json:"namespaces"`
	Tried      []answer        `json:"tried"`
}

type plugins struct {
	all      []fwk.Plugin
	weights  []int64
	snapshot *cache.Snapshot
}

func newPlugins(ctx context.Context, cluster *line) (*plugins, error) {
	var objects []runtime.Object
	for _, ns := range cluster.Namespaces {
		objects = append(objects, ns)
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0)
	snapshot := cache.NewSnapshot(cluster.Pods, cluster.Nodes)
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil,
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithInformerFactory(factory))
	if err != nil {
		return nil, err
	}
	made := &plugins{snapshot: snapshot}
	for _, each := range entries() {
		plugin, err := each.make(ctx, each.args, handle)
		if err != nil {
			return nil, err
		}
		made.all = append(made.all, plugin)
		made.weights = append(made.weights, each.weight)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return made, nil
}

func fitError(nodes int, message string, reasons map[string]int) string {
	text := fmt.Sprintf("0/%d nodes are available:", nodes)
	if message != "" {
		return text + " " + message + "."
	}
	var parts []string
	for reason, count := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", count, reason))
	}
	sort.Strings(parts)
	return text + " " + strings.Join(parts, ", ") + "."
}

func (p *plugins) ask(ctx context.Context, cluster *line, pod *v1.Pod) (answer, error) {
	result := answer{Pod: pod, Pass: []string{}}
	infos, err := p.snapshot.NodeInfos().List()
	if err != nil {
		return result, err
	}
	state := framework.NewCycleState()
	skip := map[string]bool{}
	var only *fwk.PreFilterResult
	narrowed := []string{}
	for _, plugin := range p.all {
		pre, ok := plugin.(fwk.PreFilterPlugin)
		if !ok {
			continue
		}
		names, status := pre.PreFilter(ctx, state, pod, infos)
		if status.IsSkip() {
			skip[plugin.Name()] = true
			continue
		}
		if !status.IsSuccess() {
			if !status.IsRejected() {
				return result, status.AsError()
			}
			result.Text = fitError(len(cluster.Nodes), status.Message(), nil)
			return result, nil
		}
		if !names.AllNodes() {
			narrowed = append(narrowed, plugin.Name())
		}
		only = only.Merge(names)
	}
	reasons := map[string]int{}
	var passed []fwk.NodeInfo
	for _, node := range cluster.Nodes {
		info, err := p.snapshot.NodeInfos().Get(node.Name)
		if err != nil {
			return result, err
		}
		if !only.AllNodes() && !only.NodeNames.Has(node.Name) {
			reasons[fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", narrowed)]++
			continue
		}
		refused := false
		for _, plugin := range p.all {
			filter, ok := plugin.(fwk.FilterPlugin)
			if !ok || skip[plugin.Name()] {
				continue
			}
			if status := filter.Filter(ctx, state, pod, info); !status.IsSuccess() {
				for _, reason := range status.Reasons() {
					reasons[reason]++
				}
				refused = true
				break
			}
		}
		if !refused {
			passed = append(passed, info)
			result.Pass = append(result.Pass, node.Name)
		}
	}
	if len(reasons) > 0 {
		result.Text = fitError(len(cluster.Nodes), "", reasons)
	}
	if len(passed) < 2 {
		return result, nil
	}
	result.Scores = make([]int64, len(passed))
	for i, plugin := range p.all {
		score, ok := plugin.(fwk.ScorePlugin)
		if !ok {
			continue
		}
		if pre, ok := plugin.(fwk.PreScorePlugin); ok {
			if status := pre.PreScore(ctx, state, pod, passed); status.IsSkip() {
				continue
			} else if !status.IsSuccess() {
				return result, status.AsError()
			}
		}
		list := make(fwk.NodeScoreList, len(passed))
		for n, info := range passed {
			value, status := score.Score(ctx, state, pod, info)
			if !status.IsSuccess() {
				return result, status.AsError()
			}
			list[n] = fwk.NodeScore{Name: info.Node().Name, Score: value}
		}
		if extensions := score.ScoreExtensions(); extensions != nil {
			if status := extensions.NormalizeScore(ctx, state, pod, list); !status.IsSuccess() {
				return result, status.AsError()
			}
		}
		for n := range list {
			result.Scores[n] += p.weights[i] * list[n].Score
		}
	}
	return result, nil
}

func main() {
	seed := flag.Int64("seed", 1, "of the generator")
	clusters := flag.Int("clusters", 300, "how many lines")
	pods := flag.Int("pods", 20, "tried on each cluster")
	calm := flag.Bool("calm", false, "nodes with room")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	metrics.Register()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for c := 0; c < *clusters; c++ {
		dice := &dice{rand.New(rand.NewSource(*seed + int64(c))), *calm}
		cluster := dice.cluster()
		ctx, cancel := context.WithCancel(context.Background())
		asked, err := newPlugins(ctx, cluster)
		for i := 0; err == nil && i < *pods; i++ {
			pod := dice.pod(fmt.Sprintf("t%d", i), cluster)
			var said answer
			if said, err = asked.ask(ctx, cluster, pod); err == nil {
				cluster.Tried = append(cluster.Tried, said)
			}
		}
		cancel()
		if err != nil {
			fmt.Fprintf(os.Stderr, "oracle: cluster %d: %v\n", c, err)
			os.Exit(1)
		}
		bytes, err := json.Marshal(cluster)
		if err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(1)
		}
		out.Write(bytes)
		out.WriteByte('\n')
	}
}
