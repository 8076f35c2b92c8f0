package main

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A map that answers for unknown domains with an empty map, as the one that selectors see.
type domains struct {
	traits.Mapper
	empty ref.Val
}

func (d domains) Find(key ref.Val) (ref.Val, bool) {
	if value, found := d.Mapper.Find(key); found {
		return value, true
	}
	return d.empty, true
}

func version(text string) apiservercel.Semver {
	return apiservercel.Semver{Version: semver.MustParse(text)}
}

func quantity(text string) apiservercel.Quantity {
	parsed := resource.MustParse(text)
	return apiservercel.Quantity{Quantity: &parsed}
}

// The device that all expressions look at; src/cel/testing/answers.cc has the same.
func input(env *cel.Env) map[string]any {
	adapter := env.CELTypeAdapter()
	empty := adapter.NativeToValue(map[string]any{})
	attributes := map[string]any{
		"gpu.example.com": map[string]any{
			"model":         "a100",
			"index":         int64(3),
			"negative":      int64(-7),
			"healthy":       true,
			"broken":        false,
			"driverVersion": version("550.54.15"),
			"empty":         "",
			"ints":          []int64{4, 8, 15},
			"bools":         []bool{true, false},
			"strings":       []string{"b", "a", "b"},
			"versions":      []apiservercel.Semver{version("1.0.0"), version("2.1.0-rc.1")},
		},
		"resource.kubernetes.io": map[string]any{
			"pcieRoot": "pci0000:17",
		},
	}
	capacity := map[string]any{
		"gpu.example.com": map[string]apiservercel.Quantity{
			"memory": quantity("40Gi"),
			"cores":  quantity("108"),
			"slice":  quantity("500m"),
		},
	}
	return map[string]any{
		"device": map[string]any{
			"driver":                   "gpu.example.com",
			"allowMultipleAllocations": true,
			"attributes":               domains{types.NewStringInterfaceMap(adapter, attributes), empty},
			"capacity":                 domains{types.NewStringInterfaceMap(adapter, capacity), empty},
		},
	}
}
