// Command oracle answers scenarios with Kueue's own scheduler.
//
//	oracle [-repeat N] < scenarios.jsonl > answers.jsonl
//
// Kueue iterates Go maps in places where the order decides; a scenario with several resources is asked
// N times, any other twice, and every distinct answer is printed, so that a comparison knows what Kueue leaves open. Answers that
// decide the same are printed once, with all the messages that were given.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// result is one line of output. Error: Kueue could not be asked; Panic: it crashed.
type result struct {
	Name    string    `json:"name"`
	Answers []*answer `json:"answers,omitempty"`
	Error   string    `json:"error,omitempty"`
	Panic   string    `json:"panic,omitempty"`
}

func main() {
	repeat := flag.Int("repeat", 4, "how often each scenario is asked")
	flag.Parse()
	if err := answerAll(os.Stdin, os.Stdout, *repeat); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answerAll(in io.Reader, out io.Writer, repeat int) error {
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<20))
	buffered := bufio.NewWriter(out)
	defer buffered.Flush()
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		var s scenario
		if err := decoder.Decode(&s); err != nil {
			return err
		}
		if err := encoder.Encode(answerOne(&s, repeat)); err != nil {
			return err
		}
	}
	return nil
}

func answerOne(s *scenario, repeat int) (r result) {
	r.Name = s.Name
	defer func() {
		if problem := recover(); problem != nil {
			r.Answers = nil
			r.Panic = fmt.Sprint(problem)
			if os.Getenv("ORACLE_TRACE") != "" {
				os.Stderr.Write(debug.Stack())
			}
		}
	}()
	q, err := read(s)
	if err != nil {
		return result{Name: s.Name, Error: err.Error()}
	}
	collected := newCollection()
	if !q.ordersMatter() {
		repeat = min(repeat, 2)
	}
	for range repeat {
		a, err := ask(q)
		if err == nil {
			err = collected.add(a)
		}
		if err != nil {
			return result{Name: s.Name, Error: err.Error()}
		}
	}
	r.Answers = collected.settle()
	return r
}
