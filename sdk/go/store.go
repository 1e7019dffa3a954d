package muster

import (
	"context"
	"database/sql"
	"errors"
	"maps"
)

// Give serves users. The transaction is the store's, or nil.
type Give func(users []string, tx *sql.Tx) (Outcomes, error)

// Work does the work of a callback in the store's transaction, and returns true if a report follows.
type Work func(tx *sql.Tx) (bool, error)

// Store keeps the records of an endpoint or a receiver, so that a repeat has no second effect.
type Store interface {
	// In runs a function in a transaction. It is rolled back if the function fails or isKept is false.
	In(ctx context.Context, isKept bool, do func(Records) error) error
}

// Records of a store within one transaction. A concurrent claim of the same record waits for the end of the transaction.
type Records interface {
	// Tx is the transaction that actions and work get; nil if the store has none.
	Tx() *sql.Tx
	// Claim adds records of users who have none, with this outcome or with nil. It returns these users in order.
	Claim(call Call, outcome *Outcome) ([]string, error)
	// Read returns the outcomes of users who have one.
	Read(run string, step int, users []string) (Outcomes, error)
	// Record changes the records of users, and removes the records of users whose outcome is nil.
	Record(call Call, outcomes map[string]*Outcome) error
	// ClaimKey adds a record of the call's key. It returns the digest and answer of an earlier record, or an empty digest.
	ClaimKey(call Call) (digest string, answer Outcomes, err error)
	Answer(call Call, outcomes Outcomes) error
	// ClaimCallback adds a record of a callback unless there is one. It then returns the attempt whose report is awaited,
	// or 0.
	ClaimCallback(id string) (isNew bool, awaited int, err error)
	AwaitReport(id string, attempt int) error
}

// ErrKeyReused means that a call with other bytes has the key of an earlier call.
var ErrKeyReused = errors.New("other bytes came under this key")

// outcomesOf serves a call by the rules of a class.
func outcomesOf(ctx context.Context, class Class, store Store, call Call, give Give) (outcomes Outcomes, err error) {
	serve := map[Class]func(Records) (Outcomes, error){
		A: func(records Records) (Outcomes, error) { return giveOncePerUser(records, call, give) },
		B: func(records Records) (Outcomes, error) { return giveOncePerKey(records, call, give) },
		D: func(records Records) (Outcomes, error) { return give(call.Users, records.Tx()) },
	}
	if class == C {
		if !call.IsTest {
			return giveAndRecord(ctx, store, call, give)
		}
		class = D
	}
	err = store.In(ctx, !call.IsTest, func(records Records) error {
		outcomes, err = serve[class](records)
		return err
	})
	return outcomes, err
}

// giveOncePerUser serves users without a final outcome, and returns the first final outcome of each user.
func giveOncePerUser(records Records, call Call, give Give) (Outcomes, error) {
	fresh, err := records.Claim(call, nil)
	if err != nil {
		return nil, err
	}
	return giveAndRead(records, call, fresh, give)
}

// giveOncePerKey serves the call if its key is new; otherwise it returns the first answer to the key.
func giveOncePerKey(records Records, call Call, give Give) (Outcomes, error) {
	digest, answer, err := records.ClaimKey(call)
	switch {
	case err != nil:
		return nil, err
	case digest == "":
		given, err := give(call.Users, records.Tx())
		if err == nil {
			err = records.Answer(call, given)
		}
		return given, err
	case digest != call.digest:
		return nil, ErrKeyReused
	}
	return answer, nil
}

// giveAndRecord records users as in progress, serves them, then records outcomes. It omits users of another call.
func giveAndRecord(ctx context.Context, store Store, call Call, give Give) (outcomes Outcomes, err error) {
	var fresh []string
	// This record is committed before users are served: after a crash they are "in-progress", not "not-found".
	err = store.In(ctx, true, func(records Records) error {
		fresh, err = records.Claim(call, &inProgress)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = store.In(ctx, true, func(records Records) error {
		outcomes, err = giveAndRead(records, call, fresh, give)
		return err
	})
	var refusal *Refusal
	if errors.As(err, &refusal) {
		removed := map[string]*Outcome{}
		for _, user := range fresh {
			removed[user] = nil
		}
		return nil, errors.Join(err, store.In(ctx, true, func(records Records) error { return records.Record(call, removed) }))
	}
	maps.DeleteFunc(outcomes, func(_ string, outcome Outcome) bool { return outcome == inProgress })
	return outcomes, err
}

func giveAndRead(records Records, call Call, fresh []string, give Give) (Outcomes, error) {
	given := Outcomes{}
	if len(fresh) > 0 {
		var err error
		if given, err = give(fresh, records.Tx()); err != nil {
			return nil, err
		}
	}
	changed := map[string]*Outcome{}
	for user, outcome := range given {
		changed[user] = nil
		if outcome.isFinal() {
			changed[user] = &outcome
		}
	}
	if err := records.Record(call, changed); err != nil {
		return nil, err
	}
	known, err := records.Read(call.Run, call.Step, call.Users)
	if err == nil {
		maps.Copy(known, given)
	}
	return known, err
}

// receiveOnce does the work of a callback unless it is done or accepted. It returns true if a report follows.
func receiveOnce(ctx context.Context, store Store, id string, attempt int, work Work) (isLater bool, err error) {
	err = store.In(ctx, true, func(records Records) error {
		isNew, awaited, err := records.ClaimCallback(id)
		if err != nil {
			return err
		}
		if !isNew && (awaited == 0 || awaited >= attempt) {
			isLater = awaited > 0
			return nil
		}
		if isLater, err = work(records.Tx()); err != nil {
			return err
		}
		if !isLater {
			attempt = 0
		}
		return records.AwaitReport(id, attempt)
	})
	return isLater, err
}
