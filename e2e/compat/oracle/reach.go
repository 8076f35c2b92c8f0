package main

import (
	"context"
	_ "unsafe" // for go:linkname

	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
)

// Kueue's scheduler is public only as a loop (Start) that never says when a cycle has ended. These
// two methods are what that loop and its tests call; the linker binds them, nothing is copied.

// oneCycle runs one admission cycle. It blocks while no active queue has a head.
//
//go:linkname oneCycle sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func oneCycle(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

// setAdmissionRoutine replaces the goroutine that writes an admission.
//
//go:linkname setAdmissionRoutine sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setAdmissionRoutine(s *scheduler.Scheduler, wrapper routine.Wrapper)

// inline runs an admission's write before the cycle goes on.
type inline struct{}

func (inline) Run(write func()) { write() }
