package main

import (
	"encoding/json"
	"slices"
)

// collection keeps the distinct answers to one question, in the order in which they came.
type collection struct {
	answers []*answer
	known   map[string]*answer // by what was decided, messages left out
}

func newCollection() *collection { return &collection{known: map[string]*answer{}} }

func (c *collection) add(a *answer) error {
	messages := a.takeMessages()
	decided, err := json.Marshal(a)
	if err != nil {
		return err
	}
	first, found := c.known[string(decided)]
	if !found {
		c.known[string(decided)] = a
		c.answers = append(c.answers, a)
		first = a
	}
	first.addMessages(messages)
	return nil
}

// takeMessages removes the messages of all waiting workloads, in order.
func (a *answer) takeMessages() []string {
	var messages []string
	for i := range a.Cycles {
		for j := range a.Cycles[i].Pending {
			messages = append(messages, a.Cycles[i].Pending[j].Message)
			a.Cycles[i].Pending[j].Message = ""
		}
	}
	return messages
}

// addMessages puts them back, beside those that are there.
func (a *answer) addMessages(messages []string) {
	next := 0
	for i := range a.Cycles {
		for j := range a.Cycles[i].Pending {
			p := &a.Cycles[i].Pending[j]
			if !slices.Contains(p.Messages, messages[next]) {
				p.Messages = append(p.Messages, messages[next])
				slices.Sort(p.Messages)
			}
			next++
		}
	}
}

// settle gives each waiting workload its one message, and the list only to those that have several.
func (c *collection) settle() []*answer {
	for _, a := range c.answers {
		for i := range a.Cycles {
			for j := range a.Cycles[i].Pending {
				p := &a.Cycles[i].Pending[j]
				p.Message = p.Messages[0]
				if len(p.Messages) == 1 {
					p.Messages = nil
				}
			}
		}
	}
	return c.answers
}
