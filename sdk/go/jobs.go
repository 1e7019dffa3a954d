package muster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Problem is the error of a request that Muster refused. Programs should distinguish problems by Code.
type Problem struct {
	Status  int
	Code    string
	Message string
	// Errors has each invalid field.
	Errors []any
}

func (problem *Problem) Error() string { return problem.Message }

// Unavailable is the error of a request without a valid answer from Muster, which may have processed it. Its code is
// "unreachable" if there was no answer, and "unexpected-answer" if another server answered, such as a proxy.
type Unavailable struct {
	Code string
	// Status of the other server's answer; 0 if there was none.
	Status int
	Cause  error
}

func (unavailable *Unavailable) Error() string {
	return fmt.Sprintf("%s: %v", unavailable.Code, unavailable.Cause)
}

func (unavailable *Unavailable) Unwrap() error { return unavailable.Cause }

// Client of jobs. Fields are those of the API (docs/jobs.md). A job without an idempotencyKey gets a generated one, so
// repeats store it only once.
type Client struct {
	url, apiKey string
	sender      sender
}

// NewClient returns a client that repeats a request at most this number of times.
func NewClient(url, apiKey string, retries int) *Client {
	return &Client{strings.TrimRight(url, "/"), apiKey, newSender(retries)}
}

func (client *Client) Schedule(ctx context.Context, job Fields) (Fields, error) {
	return client.post(ctx, "/v1/jobs", keyed(job))
}

// ScheduleMany schedules up to 5,000 jobs, with a result for each, in order.
func (client *Client) ScheduleMany(ctx context.Context, name string, jobs []Fields) (Fields, error) {
	all := make([]Fields, len(jobs))
	for place, job := range jobs {
		all[place] = keyed(job)
	}
	return client.post(ctx, "/v1/jobs/bulk", Fields{"client": name, "jobs": all})
}

func (client *Client) Job(ctx context.Context, id string) (Fields, error) {
	return client.send(ctx, http.MethodGet, pathOf(id), nil, "")
}

// Jobs calls a function with each matching job, page by page, until it returns an error.
func (client *Client) Jobs(ctx context.Context, query url.Values, each func(Fields) error) error {
	page := url.Values{"limit": {"500"}}
	maps.Copy(page, query)
	for {
		answer, err := client.send(ctx, http.MethodGet, "/v1/jobs?"+page.Encode(), nil, "")
		if err != nil {
			return err
		}
		items, _ := answer["items"].([]any)
		for _, item := range items {
			if job, ok := item.(Fields); ok {
				if err := each(job); err != nil {
					return err
				}
			}
		}
		cursor, ok := answer["next"].(string)
		if !ok {
			return nil
		}
		page.Set("cursor", cursor)
	}
}

func (client *Client) Cancel(ctx context.Context, id string) (Fields, error) {
	return client.post(ctx, pathOf(id)+"/cancel", nil)
}

// Reschedule moves a job to dueAt, delaySeconds, or localTime and zone.
func (client *Client) Reschedule(ctx context.Context, id string, due Fields) (Fields, error) {
	return client.post(ctx, pathOf(id)+"/reschedule", due)
}

func (client *Client) RunNow(ctx context.Context, id string) (Fields, error) {
	return client.post(ctx, pathOf(id)+"/run-now", nil)
}

// FindMany finds jobs by a client and up to 5,000 ids or idempotencyKeys, with a result for each.
func (client *Client) FindMany(ctx context.Context, named Fields) (Fields, error) {
	return client.post(ctx, "/v1/jobs/find", named)
}

func (client *Client) CancelMany(ctx context.Context, named Fields) (Fields, error) {
	return client.post(ctx, "/v1/jobs/cancel", named)
}

// Resend sends ended jobs again as new jobs; a repeat of the request sends nothing twice.
func (client *Client) Resend(ctx context.Context, named Fields) (Fields, error) {
	return client.send(ctx, http.MethodPost, "/v1/jobs/resend", named, newKey())
}

func (client *Client) post(ctx context.Context, path string, body Fields) (Fields, error) {
	return client.send(ctx, http.MethodPost, path, body, "")
}

// send may repeat every request: each job has its own key, and repeats of other requests have no second effect.
func (client *Client) send(ctx context.Context, method, path string, body Fields, key string) (Fields, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	answer, err := client.sender.send(ctx, method, client.url+path, content, func(headers http.Header) error {
		headers.Set("Authorization", "Bearer "+client.apiKey)
		if key != "" {
			headers.Set("Idempotency-Key", key)
		}
		return nil
	}, never)
	if err != nil {
		return nil, &Unavailable{Code: "unreachable", Cause: err}
	}
	if answer.status >= 200 && answer.status < 300 && answer.fields != nil {
		return answer.fields, nil
	}
	if errors, ok := answer.fields["errors"].([]any); ok && answer.text("code", "") != "" {
		return nil, &Problem{answer.status, answer.text("code", ""), messageOf(answer, errors), errors}
	}
	cause := fmt.Errorf("%s answered %d, but not as Muster does", client.url, answer.status)
	return nil, &Unavailable{Code: "unexpected-answer", Status: answer.status, Cause: cause}
}

func pathOf(id string) string { return "/v1/jobs/" + url.PathEscape(id) }

func keyed(job Fields) Fields {
	if key, ok := job["idempotencyKey"]; ok && key != nil {
		return job
	}
	copied := maps.Clone(job)
	if copied == nil {
		copied = Fields{}
	}
	copied["idempotencyKey"] = newKey()
	return copied
}

func messageOf(answer received, errors []any) string {
	message := answer.text("detail", answer.text("code", ""))
	if len(errors) == 0 {
		return message
	}
	if first, ok := errors[0].(Fields); ok {
		message += fmt.Sprintf(": %v %v", first["pointer"], first["detail"])
	}
	if len(errors) > 1 {
		message += fmt.Sprintf(", and %d more", len(errors)-1)
	}
	return message
}
