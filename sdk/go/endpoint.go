package muster

import (
	"bytes"
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Class of the contract: the promise that an endpoint keeps.
type Class string

const (
	A Class = "A"
	B Class = "B"
	C Class = "C"
	D Class = "D"
)

// Action serves users, and returns an outcome for each of them. It returns a *Refusal only if nothing was applied. Any
// other error is answered 500: the call may have been applied.
type Action func(ctx context.Context, call Call, users []string, tx *sql.Tx) (Outcomes, error)

// Endpoint is an http.Handler that answers calls, and in class C also questions at paths that end with /status.
type Endpoint struct {
	Class  Class
	Action Action
	// Store may be nil in class D.
	Store Store
	// Authorization is the whole header that calls must have; empty if none.
	Authorization string
	// SigningSecrets are secrets of which one must have signed each call; there are two during a rotation.
	SigningSecrets []string
	// IsCompact chooses the compact form of answers.
	IsCompact bool
	// IsAccepting is true if success means that receipts follow: the answer is 202.
	IsAccepting bool
	// MaxUsers is the largest number of users in a call; 0 means 1000.
	MaxUsers int
	// MaxBodyBytes is the largest size of a call; 0 means 4 MiB.
	MaxBodyBytes int64
}

func (endpoint *Endpoint) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, orElse(endpoint.MaxBodyBytes, 4<<20)+1))
	if err != nil {
		// The connection was lost, so the request is incomplete.
		panic(http.ErrAbortHandler)
	}
	status, content, err := endpoint.answer(request, body)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		status, content = refusal.Status, refusal
		if refusal.RetryAfterSeconds > 0 {
			writer.Header().Set("Retry-After", strconv.Itoa(refusal.RetryAfterSeconds))
		}
		if status == http.StatusMethodNotAllowed {
			writer.Header().Set("Allow", http.MethodPost)
		}
	} else if err != nil {
		log.Printf("muster: a request failed: %v", err)
		status, content = 500, map[string]any{"code": "internal-error", "message": "the call may have been applied"}
	}
	write(writer, status, content)
}

func write(writer http.ResponseWriter, status int, content any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(content); err != nil {
		panic(err)
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	_, _ = writer.Write(text.Bytes())
}

func (endpoint *Endpoint) answer(request *http.Request, body []byte) (int, any, error) {
	if request.Method != http.MethodPost {
		return 0, nil, &Refusal{Status: 405, Code: "method-not-allowed", Message: "only POST"}
	}
	isQuestion := endpoint.Class == C && strings.HasSuffix(request.URL.Path, "/status")
	if err := endpoint.authorize(request.Header, body, isQuestion); err != nil {
		return 0, nil, err
	}
	if kind, _, _ := mime.ParseMediaType(request.Header.Get("content-type")); kind != "application/json" {
		message := "Content-Type has to be application/json"
		return 0, nil, &Refusal{Status: 415, Code: "unsupported-media-type", Message: message}
	}
	if limit := orElse(endpoint.MaxBodyBytes, 4<<20); int64(len(body)) > limit {
		return 0, nil, &Refusal{Status: 413, Code: "body-too-large", Message: fmt.Sprintf("at most %d bytes", limit)}
	}
	// A call continues after its connection was lost. Otherwise its work would remain incomplete.
	ctx := context.WithoutCancel(request.Context())
	if isQuestion {
		return endpoint.answerQuestion(ctx, body)
	}
	call, refusal := readCall(request.Header, body, orElse(endpoint.MaxUsers, 1000))
	if refusal != nil {
		return 0, nil, refusal
	}
	return endpoint.serve(ctx, call)
}

func (endpoint *Endpoint) authorize(headers http.Header, body []byte, isQuestion bool) error {
	given, expected := []byte(headers.Get("authorization")), []byte(endpoint.Authorization)
	if len(expected) > 0 && subtle.ConstantTimeCompare(given, expected) == 0 {
		return &Refusal{Status: 401, Code: "unauthorized", Message: "the Authorization header is missing or wrong"}
	}
	if len(endpoint.SigningSecrets) == 0 {
		return nil
	}
	id, err := Verify(headers, body, endpoint.SigningSecrets, time.Now())
	if err != nil {
		return &Refusal{Status: 401, Code: "unverified", Message: err.Error()}
	}
	// The signature covers the id. Otherwise a signed body under another key would be a second call.
	if !isQuestion && id != headers.Get("idempotency-key") {
		return &Refusal{Status: 401, Code: "unverified", Message: "webhook-id has to be the Idempotency-Key"}
	}
	return nil
}

func (endpoint *Endpoint) serve(ctx context.Context, call Call) (int, any, error) {
	hasBegun := endpoint.Store == nil
	outcomes, err := endpoint.outcomesOf(ctx, call, func(users []string, tx *sql.Tx) (Outcomes, error) {
		hasBegun = true
		given, err := endpoint.Action(ctx, call, users, tx)
		if err != nil {
			return nil, err
		}
		return given, checkOutcomes(users, given)
	})
	var refusal *Refusal
	switch {
	case errors.Is(err, ErrKeyReused):
		return 0, nil, Refuse("key-reused", "Idempotency-Key", call.Key, err.Error())
	case err != nil && !hasBegun && !errors.As(err, &refusal):
		log.Printf("muster: the store is not available: %v", err)
		return 0, nil, NotNow(1)
	case err != nil:
		return 0, nil, err
	}
	status := http.StatusOK
	if endpoint.IsAccepting {
		status = http.StatusAccepted
	}
	return status, endpoint.content(call.Users, outcomes), nil
}

func (endpoint *Endpoint) outcomesOf(ctx context.Context, call Call, give Give) (Outcomes, error) {
	if endpoint.Store == nil {
		return give(call.Users, nil)
	}
	return outcomesOf(ctx, endpoint.Class, endpoint.Store, call, give)
}

// checkOutcomes requires one valid outcome for each user, and shortens messages.
func checkOutcomes(users []string, given Outcomes) error {
	for _, user := range users {
		outcome, ok := given[user]
		if !ok || outcome.Status == "failed" && !validCode.MatchString(outcome.Code) {
			return fmt.Errorf("the action has no valid outcome for a user: %+v", outcome)
		}
		outcome.Message = cut(outcome.Message, maxMessageRunes)
		given[user] = outcome
	}
	if len(given) != len(users) {
		return errors.New("the action has outcomes of users that are not in its list")
	}
	return nil
}

type result struct {
	ID string `json:"id"`
	Outcome
}

func (endpoint *Endpoint) content(users []string, outcomes Outcomes) any {
	results, failures := make([]result, 0, len(users)), []result{}
	for _, user := range users {
		outcome, ok := outcomes[user]
		if !ok {
			continue
		}
		results = append(results, result{user, outcome})
		if outcome.Status == "failed" {
			outcome.Status = ""
			failures = append(failures, result{user, outcome})
		}
	}
	if endpoint.IsCompact {
		return map[string]any{"succeeded": len(results) - len(failures), "failed": failures}
	}
	return map[string]any{"results": results}
}

func (endpoint *Endpoint) answerQuestion(ctx context.Context, body []byte) (int, any, error) {
	read := reader{maxUsers: orElse(endpoint.MaxUsers, 1000)}
	parsed := read.object(body)
	run := read.text(parsed, "run", "/run", anyText, "has to be a text")
	step, users := read.count(parsed, "step"), read.users(parsed)
	if read.refusal != nil {
		return 0, nil, read.refusal
	}
	var known Outcomes
	err := endpoint.Store.In(ctx, true, func(records Records) (err error) {
		known, err = records.Read(run, step, users)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	results := make([]result, len(users))
	for place, user := range users {
		outcome, ok := known[user]
		if !ok {
			outcome = notFound
		}
		results[place] = result{user, outcome}
	}
	return http.StatusOK, map[string]any{"results": results}, nil
}

func orElse[Number int | int64](value, usual Number) Number {
	if value == 0 {
		return usual
	}
	return value
}
