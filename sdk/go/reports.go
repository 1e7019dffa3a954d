package muster

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const maxReceipts = 1000

// Invitation is the address of a report, for one attempt of one job. Store it with the work.
type Invitation struct {
	URL           string
	Token         string
	WithinSeconds int
}

// InvitationIn returns nil if no report is expected. musterURL is needed if calls contain only a path.
func InvitationIn(headers http.Header, musterURL string) *Invitation {
	path, token := headers.Get("muster-report"), headers.Get("muster-report-token")
	within, err := strconv.Atoi(headers.Get("muster-report-within"))
	if path == "" || token == "" || err != nil {
		return nil
	}
	if musterURL != "" && strings.HasPrefix(path, "/") {
		path = strings.TrimRight(musterURL, "/") + path
	}
	return &Invitation{path, token, within}
}

// RefusedReport is the error of a report, or of receipts, that Muster did not accept.
type RefusedReport struct {
	Status  int
	Code    string
	Message string
}

func (refused *RefusedReport) Error() string { return refused.Code + ": " + refused.Message }

func refusedBy(answer received) error {
	return &RefusedReport{answer.status, answer.text("code", "unknown"), answer.text("detail", "it was refused")}
}

// Reporter sends reports of callbacks and receipts of users.
type Reporter struct{ sender sender }

// NewReporter returns a reporter that repeats a request at most this number of times.
func NewReporter(retries int) *Reporter { return &Reporter{newSender(retries)} }

// Report reports an outcome: "done", or "failed" with a reason, and optionally final, retryAfterSeconds and detail. It is
// safe to repeat. It returns "called", "failed" or "unchanged".
func (reporter *Reporter) Report(ctx context.Context, invitation Invitation, content Fields) (string, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	authorize := func(headers http.Header) error {
		headers.Set("Authorization", "Bearer "+invitation.Token)
		return nil
	}
	// Muster may not have stored the end of the call yet.
	isForNow := func(answer received) bool {
		return answer.status >= 500 || answer.text("code", "") == "report-too-early"
	}
	answer, err := reporter.sender.send(ctx, http.MethodPost, invitation.URL, body, authorize, isForNow)
	if err != nil {
		return "", err
	}
	if answer.status >= 300 {
		return "", refusedBy(answer)
	}
	return answer.text("result", "unchanged"), nil
}

// SendReceipts sends receipts of an endpoint that answered 202, signed with the secret of its action type. A receipt
// counts once, so repeats are safe. It returns the problems of receipts that do not count, each with its index.
func (reporter *Reporter) SendReceipts(ctx context.Context, musterURL, secret string, receipts []Fields) ([]Fields, error) {
	problems := []Fields{}
	for start := 0; start < len(receipts); start += maxReceipts {
		body, err := json.Marshal(Fields{"receipts": receipts[start:min(start+maxReceipts, len(receipts))]})
		if err != nil {
			return problems, err
		}
		url := strings.TrimRight(musterURL, "/") + "/v1/receipts"
		sign := func(headers http.Header) error { return setSignature(headers, secret, body) }
		answer, err := reporter.sender.send(ctx, http.MethodPost, url, body, sign, never)
		if err != nil {
			return problems, err
		}
		if answer.status != http.StatusAccepted {
			return problems, refusedBy(answer)
		}
		found, _ := answer.fields["problems"].([]any)
		for _, each := range found {
			if problem, ok := each.(Fields); ok {
				if index, ok := problem["index"].(float64); ok {
					problem["index"] = int(index) + start
				}
				problems = append(problems, problem)
			}
		}
	}
	return problems, nil
}

func setSignature(headers http.Header, secret string, body []byte) error {
	id, now := newKey(), time.Now().Unix()
	signature, err := Sign(secret, id, now, body)
	headers.Set("webhook-id", id)
	headers.Set("webhook-timestamp", strconv.FormatInt(now, 10))
	headers.Set("webhook-signature", signature)
	return err
}
