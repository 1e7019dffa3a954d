package muster

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/lib/pq"
)

// vectorAction is the action that the vectors describe.
type vectorAction struct{ given []string }

func (action *vectorAction) give(_ context.Context, call Call, users []string, _ *sql.Tx) (Outcomes, error) {
	action.given = append(action.given, users...)
	var params struct {
		Crash, Refuse, Forget bool
		WaitSeconds           int
	}
	if err := json.Unmarshal(call.Params, &params); err != nil {
		return nil, err
	}
	switch {
	case params.Crash:
		return nil, errors.New("the action failed, as the vector wants")
	case params.Refuse:
		return nil, Refuse("unknown-reward", "/action/params/rewardId", "ride-9", "no such reward")
	case params.WaitSeconds > 0:
		return nil, NotNow(params.WaitSeconds)
	case params.Forget:
		users = users[1:]
	}
	outcomes := Outcomes{}
	for _, user := range users {
		switch {
		case strings.HasPrefix(user, "sold-out"):
			outcomes[user] = Failed("out-of-stock", "none are left")
		case strings.HasPrefix(user, "busy"):
			outcomes[user] = FailedForNow("busy", "try again")
		default:
			outcomes[user] = Succeeded
		}
	}
	return outcomes, nil
}

func TestEndpointOfMemoryAnswersTheVectors(t *testing.T) {
	for _, vector := range vectors.Batches {
		t.Run(vector.Name, func(t *testing.T) { playBatch(t, vector, NewMemoryStore(), "") })
	}
}

func TestEndpointOfPostgresAnswersTheVectors(t *testing.T) {
	store := openPostgres(t)
	for _, vector := range vectors.Batches {
		t.Run(vector.Name, func(t *testing.T) { playBatch(t, vector, store, newKey()+"-") })
	}
	if _, err := store.db.Exec("update muster_results set at = now() - interval '2 days'"); err != nil {
		t.Fatal(err)
	}
	if err := store.Forget(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := store.db.QueryRow("select count(*) from muster_results").Scan(&left); err != nil || left != 0 {
		t.Fatalf("%d results are left: %v", left, err)
	}
}

func TestEndpointPostponesCallsWithoutItsDatabase(t *testing.T) {
	db, err := sql.Open("postgres", "postgres://127.0.0.1:1/none?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	action := &vectorAction{}
	endpoint := &Endpoint{Class: A, Action: action.give, Store: NewPostgresStore(db)}
	body, _ := json.Marshal(vectors.Call.Body)
	answer := post(endpoint, http.MethodPost, "/", vectors.Call.Headers, body)
	if answer.Code != 503 || answer.Header().Get("retry-after") != "1" || len(action.given) > 0 {
		t.Fatalf("answered %d to %v", answer.Code, action.given)
	}
}

// openPostgres skips the test without DATABASE_URL.
func openPostgres(t *testing.T) *PostgresStore {
	url := os.Getenv("DATABASE_URL")
	if url == "" {
		t.Skip("needs DATABASE_URL")
	}
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := NewPostgresStore(db)
	if err := store.CreateTables(context.Background()); err != nil {
		t.Fatal(err)
	}
	return store
}

// playBatch plays a vector with its own prefix of keys and runs, because the database outlives the test.
func playBatch(t *testing.T, vector batchVector, store Store, prefix string) {
	action := &vectorAction{}
	terms := vector.Endpoint
	endpoint := &Endpoint{
		Class: terms.Class, Action: action.give, Store: store, Authorization: terms.Authorization,
		SigningSecrets: terms.SigningSecrets, IsCompact: terms.AnswerForm == "compact", IsAccepting: terms.IsAccepting,
		MaxUsers: terms.MaxUsers, MaxBodyBytes: terms.MaxBodyBytes,
	}
	for _, call := range vector.Calls {
		action.given = nil
		headers, text := merged(vectors.Call.Headers, call.Headers), call.Text
		if text == "" {
			text = toJSON(merged(vectors.Call.Body, call.Body))
		}
		body := []byte(strings.ReplaceAll(text, `"run_`, `"`+prefix+`run_`))
		if key, ok := headers["idempotency-key"].(string); ok {
			headers["idempotency-key"] = prefix + key
		}
		if call.SignedAs != "" {
			signed(t, headers, terms.SigningSecrets[0], prefix+call.SignedAs, body)
		}
		method, path := vectors.Call.Method, vectors.Call.Path
		if call.Method != "" {
			method = call.Method
		}
		if call.Path != "" {
			path = call.Path
		}
		answer := post(endpoint, method, path, headers, body)
		if answer.Code != call.Expect.Status {
			t.Fatalf("answered %d %s, wanted %d", answer.Code, answer.Body, call.Expect.Status)
		}
		for name, value := range call.Expect.Headers {
			requireJSON(t, name, answer.Header().Get(name), value)
		}
		requireJSON(t, "given", append([]string{}, action.given...), call.Expect.Given)
		requireBody(t, []byte(strings.ReplaceAll(answer.Body.String(), prefix, "")), call.Expect.Body, answer.Code < 300)
	}
}

func requireBody(t *testing.T, text []byte, wanted map[string]any, isWhole bool) {
	t.Helper()
	var found map[string]any
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if !isWhole {
		maps.DeleteFunc(found, func(name string, _ any) bool { return wanted[name] == nil })
	}
	requireJSON(t, "body", withoutDefaults(found), withoutDefaults(plain(t, wanted)))
}

// withoutDefaults removes `retryable: false`, which an answer may omit.
func withoutDefaults(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if value["retryable"] == false {
			delete(value, "retryable")
		}
		for _, each := range value {
			withoutDefaults(each)
		}
	case []any:
		for _, each := range value {
			withoutDefaults(each)
		}
	}
	return value
}

func merged(base, change map[string]any) map[string]any {
	all := maps.Clone(base)
	for name, value := range change {
		if value == nil {
			delete(all, name)
		} else {
			all[name] = value
		}
	}
	return all
}

func signed(t *testing.T, headers map[string]any, secret, id string, body []byte) {
	t.Helper()
	now := time.Now().Unix()
	signature, err := Sign(secret, id, now, body)
	if err != nil {
		t.Fatal(err)
	}
	headers["webhook-id"], headers["webhook-timestamp"] = id, strconv.FormatInt(now, 10)
	headers["webhook-signature"] = signature
}

func post(handler http.Handler, method, path string, headers map[string]any, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, bytes.NewReader(body))
	for name, value := range headers {
		request.Header.Set(name, value.(string))
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}
