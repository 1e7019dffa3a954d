package muster

import (
	"context"
	"database/sql"
	"maps"
	"sync"
)

type userKey struct {
	run  string
	step int
	user string
}

type keptAnswer struct {
	digest   string
	outcomes Outcomes
}

type memory struct {
	results  map[userKey]*Outcome
	answers  map[string]keptAnswer
	received map[string]int
}

// MemoryStore is for tests: its records are lost when its process ends. It serves one call at a time.
type MemoryStore struct {
	mutex sync.Mutex
	memory
}

func NewMemoryStore() *MemoryStore {
	return &MemoryStore{memory: memory{map[userKey]*Outcome{}, map[string]keptAnswer{}, map[string]int{}}}
}

func (store *MemoryStore) In(_ context.Context, isKept bool, do func(Records) error) error {
	store.mutex.Lock()
	defer store.mutex.Unlock()
	changed := memory{maps.Clone(store.results), maps.Clone(store.answers), maps.Clone(store.received)}
	err := do(&changed)
	if err == nil && isKept {
		store.memory = changed
	}
	return err
}

func (*memory) Tx() *sql.Tx { return nil }

func (memory *memory) Claim(call Call, outcome *Outcome) ([]string, error) {
	fresh := []string{}
	for _, user := range call.Users {
		key := userKey{call.Run, call.Step, user}
		if _, ok := memory.results[key]; !ok {
			memory.results[key] = outcome
			fresh = append(fresh, user)
		}
	}
	return fresh, nil
}

func (memory *memory) Read(run string, step int, users []string) (Outcomes, error) {
	known := Outcomes{}
	for _, user := range users {
		if outcome := memory.results[userKey{run, step, user}]; outcome != nil {
			known[user] = *outcome
		}
	}
	return known, nil
}

func (memory *memory) Record(call Call, outcomes map[string]*Outcome) error {
	for user, outcome := range outcomes {
		memory.results[userKey{call.Run, call.Step, user}] = outcome
		if outcome == nil {
			delete(memory.results, userKey{call.Run, call.Step, user})
		}
	}
	return nil
}

func (memory *memory) ClaimKey(call Call) (string, Outcomes, error) {
	first := memory.answers[call.Key]
	return first.digest, first.outcomes, nil
}

func (memory *memory) Answer(call Call, outcomes Outcomes) error {
	memory.answers[call.Key] = keptAnswer{call.digest, outcomes}
	return nil
}

func (memory *memory) ClaimCallback(id string) (bool, int, error) {
	awaited, ok := memory.received[id]
	return !ok, awaited, nil
}

func (memory *memory) AwaitReport(id string, attempt int) error {
	memory.received[id] = attempt
	return nil
}
