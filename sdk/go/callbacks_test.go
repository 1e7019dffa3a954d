package muster

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"
)

func headersOf(named map[string]string) http.Header {
	headers := http.Header{}
	for name, value := range named {
		headers.Set(name, value)
	}
	return headers
}

func TestSignaturesAreVerifiedAsTheVectorsSay(t *testing.T) {
	for _, vector := range vectors.Signatures {
		t.Run(vector.Name, func(t *testing.T) {
			id, err := Verify(headersOf(vector.Headers), []byte(vector.Body), vector.Secrets, time.Unix(vector.Now, 0))
			if vector.IsValid && (err != nil || id != "msg_p5jXN8AQM9LWM0D4loKWxJek") {
				t.Fatalf("%q is refused: %v", id, err)
			}
			if !vector.IsValid && !errors.Is(err, ErrUnverified) {
				t.Fatalf("is accepted: %v", err)
			}
		})
	}
}

func TestReceiverOfMemoryAnswersTheVectors(t *testing.T) {
	playReceivers(t, func() Store { return NewMemoryStore() })
}

func TestReceiverOfPostgresAnswersTheVectors(t *testing.T) {
	store := openPostgres(t)
	playReceivers(t, func() Store { return store })
}

func playReceivers(t *testing.T, newStore func() Store) {
	secret := vectors.Receivers.Secret
	for _, vector := range vectors.Receivers.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			done, suffix := 0, newKey()
			work := func(_ context.Context, callback Callback, _ *sql.Tx) (bool, error) {
				done++
				if string(callback.Body) == "fail" {
					return false, errors.New("the work failed, as the vector wants")
				}
				return string(callback.Body) == "later", nil
			}
			receiver := &Receiver{Work: work, Secrets: []string{secret}, Store: newStore()}
			for _, call := range vector.Calls {
				headers := map[string]any{"muster-attempt": strconv.Itoa(call.Attempt)}
				if call.Reports {
					for name, value := range vectors.Invitations[0].Headers {
						headers[name] = value
					}
				}
				by := secret
				if call.Secret != "" {
					by = call.Secret
				}
				signed(t, headers, by, call.ID+suffix, []byte(call.Body))
				answer := post(receiver, http.MethodPost, "/", headers, []byte(call.Body))
				if answer.Code != call.Expect.Status || done != call.Expect.Done {
					t.Fatalf("answered %d, done %d times, wanted %+v", answer.Code, done, call.Expect)
				}
			}
		})
	}
}

func TestReportsAreInvitedAsTheVectorsSay(t *testing.T) {
	for _, vector := range vectors.Invitations {
		found := InvitationIn(headersOf(vector.Headers), vector.MusterURL)
		requireJSON(t, vector.Name, found, vector.Invitation)
	}
}

func TestReportsAreSentAsTheVectorsSay(t *testing.T) {
	for _, vector := range vectors.Reports {
		t.Run(vector.Name, func(t *testing.T) {
			url, requests := playMuster(t, vector.Answers)
			result, err := reporter().Report(context.Background(), Invitation{URL: url, Token: "v1.a.b"}, vector.Report)
			requireRefused(t, err, vector.Refused)
			requireJSON(t, "result", result, vector.Result)
			for _, request := range *requests {
				requireJSON(t, "body", request.body, vector.Report)
				requireJSON(t, "token", request.header.Get("authorization"), "Bearer v1.a.b")
			}
		})
	}
}

func TestReceiptsAreSentAsTheVectorsSay(t *testing.T) {
	for _, vector := range vectors.Receipts {
		t.Run(vector.Name, func(t *testing.T) {
			url, requests := playMuster(t, vector.Answers)
			problems, err := reporter().SendReceipts(context.Background(), url, vector.Secret, vector.Receipts)
			requireRefused(t, err, vector.Refused)
			requireJSON(t, "problems", problems, append([]Fields{}, vector.Result...))
			requireJSON(t, "requests", len(*requests), len(vector.Answers))
			for _, request := range *requests {
				requireJSON(t, "body", request.body, Fields{"receipts": vector.Receipts})
				body := []byte(toJSON(request.body))
				if _, err := Verify(request.header, body, []string{vector.Secret}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func reporter() *Reporter {
	reporter := NewReporter(10)
	reporter.sender.sleep = func(context.Context, time.Duration) error { return nil }
	return reporter
}

func requireRefused(t *testing.T, err error, wanted *refusedVector) {
	t.Helper()
	var refused *RefusedReport
	if wanted == nil && err != nil {
		t.Fatal(err)
	}
	if wanted != nil && (!errors.As(err, &refused) || refused.Status != wanted.Status || refused.Code != wanted.Code) {
		t.Fatalf("%v is not %+v", err, wanted)
	}
}
