// Answers CEL expressions as Kubernetes does: reads one JSON string per line, an expression over the
// variable `device`, and prints one JSON object per line. See ../README.md for the fields.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/google/cel-go/cel"

	dracel "k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"k8s.io/apiserver/pkg/cel/environment"
)

// Answer is what became of one expression. Exactly one of Compile, Error and Value is set.
type Answer struct {
	Expression string `json:"e"`
	Compile    string `json:"c,omitempty"` // why it was refused
	Error      string `json:"x,omitempty"` // the runtime error
	Value      string `json:"v,omitempty"`
	Cost       uint64 `json:"k"`           // of the evaluation
	Most       string `json:"m,omitempty"` // the estimate's upper end
}

type oracle struct {
	env     *cel.Env
	compile func(expression string) dracel.CompilationResult
	input   map[string]any
}

// The environment of the scheduler: stored expressions, every feature on.
func newOracle() (*oracle, error) {
	compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})
	compile := func(expression string) dracel.CompilationResult {
		return compiler.CompileCELExpression(expression, dracel.Options{EnvType: ptr.To(environment.StoredExpressions)})
	}
	probe := compile("true")
	if probe.Error != nil {
		return nil, fmt.Errorf("%v", probe.Error)
	}
	return &oracle{env: probe.Environment, compile: compile, input: input(probe.Environment)}, nil
}

func (o *oracle) answer(expression string) (answer Answer) {
	answer.Expression = expression
	defer func() {
		if r := recover(); r != nil {
			answer.Compile, answer.Error, answer.Value = "", fmt.Sprintf("panic: %v", r), ""
		}
	}()
	ast, issues := o.env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		answer.Compile = issues.String()
		return answer
	}
	program, err := o.env.Program(ast, cel.CostLimit(1000000), cel.InterruptCheckFrequency(100))
	if err != nil {
		answer.Compile = "program instantiation failed: " + err.Error()
		return answer
	}
	answer.Most = o.most(expression)
	value, details, err := program.Eval(o.input)
	if details != nil && details.ActualCost() != nil {
		answer.Cost = *details.ActualCost()
	}
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	answer.Value = show(value)
	return answer
}

// The estimate is made for selectors, which are bool or dyn; a conversion to dyn costs one unit.
func (o *oracle) most(expression string) string {
	result := o.compile("dyn(" + expression + "\n)")
	if result.Error != nil {
		return ""
	}
	if result.MaxCost == ^uint64(0) {
		return "max"
	}
	return fmt.Sprint(result.MaxCost - 1)
}

func main() {
	o, err := newOracle()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var expression string
		if err := json.Unmarshal(lines.Bytes(), &expression); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := encoder.Encode(o.answer(expression)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
