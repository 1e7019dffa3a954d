// Package muster has batch endpoints, receivers of callbacks and a client of jobs for Muster.
package muster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// Outcome of one user: "succeeded" or "failed"; in class C also "in-progress" or "not-found".
type Outcome struct {
	Status  string `json:"status,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Retryable also asserts that nothing was applied.
	Retryable bool `json:"retryable,omitempty"`
}

// Outcomes by user.
type Outcomes map[string]Outcome

var (
	Succeeded  = Outcome{Status: "succeeded"}
	inProgress = Outcome{Status: "in-progress"}
	notFound   = Outcome{Status: "not-found"}
)

// Failed returns a final failure. A code is 1 to 64 of A-Z a-z 0-9 . _ -
func Failed(code, message string) Outcome {
	return Outcome{Status: "failed", Code: code, Message: message}
}

// FailedForNow returns a failure that Muster retries. Nothing may have been applied for the user.
func FailedForNow(code, message string) Outcome {
	return Outcome{Status: "failed", Code: code, Message: message, Retryable: true}
}

func (outcome Outcome) isFinal() bool {
	return outcome.Status == "succeeded" || outcome.Status == "failed" && !outcome.Retryable
}

// Refusal is an error that refuses a whole call, of which nothing may have been applied. 400 and 422 refuse users or
// parameters: Muster tries smaller batches. 401, 403, 404 and 501 hold the step until a person has changed something.
type Refusal struct {
	Status  int    `json:"-"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Field and Value identify the refused field; empty if the refusal is not about a single field.
	Field string  `json:"field,omitempty"`
	Value *string `json:"value,omitempty"`
	// RetryAfterSeconds is the delay of a call that is postponed with 503.
	RetryAfterSeconds int `json:"-"`
}

func (refusal *Refusal) Error() string { return refusal.Code + ": " + refusal.Message }

// Refuse returns the refusal of a value of a call: 422.
func Refuse(code, field, value, message string) *Refusal {
	return &Refusal{Status: 422, Code: code, Field: field, Value: &value, Message: message}
}

// NotNow returns the refusal of a call that Muster sends again after so many seconds: 503.
func NotNow(seconds int) *Refusal {
	return &Refusal{Status: 503, Code: "not-now", Message: "not now", RetryAfterSeconds: seconds}
}

// Call of Muster.
type Call struct {
	Campaign, Run, Country, ActionType, Key string
	Step, Batch, Attempt                    int
	Params                                  json.RawMessage
	Users                                   []string
	// IsTest is true in a test send: check everything and answer as if live, but without any effect.
	IsTest bool
	// digest identifies the bytes of the body.
	digest string
}

const (
	maxUserIDBytes  = 256
	maxShownRunes   = 100
	maxMessageRunes = 500
)

var (
	validKey     = regexp.MustCompile(`^[\x21-\x7e]{1,100}$`)
	validAttempt = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	validMode    = regexp.MustCompile(`^(live|test)$`)
	validCountry = regexp.MustCompile(`^[A-Z]{2}$`)
	validCode    = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	anyText      = regexp.MustCompile(`(?s)^.+$`)
	controls     = regexp.MustCompile(`[\x00-\x1f\x7f-\x{9f}]`)
)

// readCall returns a refusal for the first violation of the contract.
func readCall(headers http.Header, body []byte, maxUsers int) (Call, *Refusal) {
	read := reader{maxUsers: maxUsers}
	call := Call{
		Key:    read.header(headers, "Idempotency-Key", validKey, "has to be 1 to 100 visible ASCII characters"),
		IsTest: read.header(headers, "Muster-Mode", validMode, "has to be live or test") == "test",
	}
	call.Attempt, _ = strconv.Atoi(read.header(headers, "Muster-Attempt", validAttempt, "has to be an integer from 1"))
	parsed := read.object(body)
	action := read.objectIn(parsed, "action", "/action")
	call.ActionType = read.text(action, "type", "/action/type", anyText, "has to be a text")
	read.objectIn(action, "params", "/action/params")
	call.Params = action["params"]
	call.Campaign = read.text(parsed, "campaign", "/campaign", anyText, "has to be a text")
	call.Run = read.text(parsed, "run", "/run", anyText, "has to be a text")
	call.Country = read.text(parsed, "country", "/country", validCountry, "has to be two capital letters")
	call.Step = read.count(parsed, "step")
	call.Batch = read.count(parsed, "batch")
	call.Users = read.users(parsed)
	digest := sha256.Sum256(body)
	call.digest = hex.EncodeToString(digest[:])
	return call, read.refusal
}

// reader keeps the first refusal. Its results after the refusal are meaningless.
type reader struct {
	maxUsers int
	refusal  *Refusal
}

func (read *reader) refuse(refusal *Refusal) {
	if read.refusal == nil {
		read.refusal = refusal
	}
}

func (read *reader) refuseField(field string, raw json.RawMessage, rule string) {
	read.refuse(&Refusal{Status: 422, Code: "invalid-request", Field: field, Value: quotedValue(raw), Message: field + " " + rule})
}

func (read *reader) header(headers http.Header, name string, valid *regexp.Regexp, rule string) string {
	value := headers.Get(name)
	if !valid.MatchString(value) {
		var raw json.RawMessage
		if headers.Values(name) != nil {
			raw, _ = json.Marshal(value)
		}
		read.refuseField(name, raw, rule)
	}
	return value
}

func (read *reader) object(body []byte) map[string]json.RawMessage {
	if !utf8.Valid(body) || !json.Valid(body) {
		read.refuse(&Refusal{Status: 400, Code: "malformed-json", Message: "the body is no JSON in UTF-8"})
		return nil
	}
	return read.objectOf(body, "/")
}

func (read *reader) objectIn(parent map[string]json.RawMessage, name, field string) map[string]json.RawMessage {
	return read.objectOf(parent[name], field)
}

func (read *reader) objectOf(raw json.RawMessage, field string) map[string]json.RawMessage {
	var parsed map[string]json.RawMessage
	if json.Unmarshal(raw, &parsed) != nil || parsed == nil {
		read.refuseField(field, raw, "has to be an object")
	}
	return parsed
}

func (read *reader) text(parent map[string]json.RawMessage, name, field string, valid *regexp.Regexp, rule string) string {
	var value string
	if json.Unmarshal(parent[name], &value) != nil || !valid.MatchString(value) {
		read.refuseField(field, parent[name], rule)
	}
	return value
}

func (read *reader) count(parent map[string]json.RawMessage, name string) int {
	var value int32
	if json.Unmarshal(parent[name], &value) != nil || value < 1 {
		read.refuseField("/"+name, parent[name], "has to be an integer from 1")
	}
	return int(value)
}

func (read *reader) users(parsed map[string]json.RawMessage) []string {
	var listed []json.RawMessage
	if json.Unmarshal(parsed["users"], &listed) != nil || len(listed) == 0 {
		read.refuseField("/users", parsed["users"], "has to be a list of one user or more")
	}
	if len(listed) > read.maxUsers {
		count := strconv.Itoa(len(listed))
		message := fmt.Sprintf("at most %d users a call", read.maxUsers)
		read.refuse(&Refusal{Status: 413, Code: "too-many-users", Field: "/users", Value: &count, Message: message})
		return nil
	}
	users := make([]string, len(listed))
	seen := make(map[string]bool, len(listed))
	for place, raw := range listed {
		field, user := fmt.Sprintf("/users/%d", place), ""
		if json.Unmarshal(raw, &user) != nil || user == "" || len(user) > maxUserIDBytes || controls.MatchString(user) {
			read.refuseField(field, raw, "is no valid user id")
		} else if seen[user] {
			read.refuseField(field, raw, "is in the list twice")
		}
		users[place], seen[user] = user, true
	}
	return users
}

// quotedValue formats a value for people: a text unchanged, any other value as JSON; nil if there is none.
func quotedValue(raw json.RawMessage) *string {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var compact bytes.Buffer
		// Valid JSON, as the whole body is.
		_ = json.Compact(&compact, raw)
		text = compact.String()
	}
	text = cut(text, maxShownRunes)
	return &text
}

func cut(text string, maxRunes int) string {
	if runes := []rune(text); len(runes) > maxRunes {
		return string(runes[:maxRunes])
	}
	return text
}
