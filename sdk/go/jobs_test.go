package muster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"testing"
	"time"
)

var generated = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func callOf(client *Client, vector jobVector) (any, error) {
	ctx := context.Background()
	named := Fields{"client": vector.Client}
	for name, value := range vector.Named {
		named[name] = value
	}
	switch vector.Call {
	case "schedule":
		return client.Schedule(ctx, vector.Job)
	case "scheduleMany":
		return client.ScheduleMany(ctx, vector.Client, vector.Jobs)
	case "job":
		return client.Job(ctx, vector.ID)
	case "jobs":
		query, found := url.Values{}, []Fields{}
		for name, value := range vector.Query {
			query.Set(name, value)
		}
		err := client.Jobs(ctx, query, func(job Fields) error {
			found = append(found, job)
			return nil
		})
		return found, err
	case "cancel":
		return client.Cancel(ctx, vector.ID)
	case "reschedule":
		return client.Reschedule(ctx, vector.ID, vector.Due)
	case "runNow":
		return client.RunNow(ctx, vector.ID)
	case "findMany":
		return client.FindMany(ctx, named)
	case "cancelMany":
		return client.CancelMany(ctx, named)
	case "resend":
		return client.Resend(ctx, named)
	}
	return nil, fmt.Errorf("no such call: %s", vector.Call)
}

func TestJobsAreRequestedAsTheVectorsSay(t *testing.T) {
	for _, vector := range vectors.Jobs {
		t.Run(vector.Name, func(t *testing.T) {
			url, requests := playMuster(t, vector.Answers)
			retries := 5
			if vector.Retries != nil {
				retries = *vector.Retries
			}
			client := NewClient(url, "key", retries)
			var waits []float64
			client.sender.sleep = func(_ context.Context, wait time.Duration) error {
				waits = append(waits, wait.Seconds())
				return nil
			}
			result, err := callOf(client, vector)
			requireOutcome(t, vector, result, err)
			if vector.Name == "a request that is refused for now is repeated" {
				requireJSON(t, "waits", waits, []float64{0, 2})
			}
			requireRequests(t, vector, *requests)
		})
	}
}

func requireOutcome(t *testing.T, vector jobVector, result any, err error) {
	t.Helper()
	var problem *Problem
	var unavailable *Unavailable
	switch wanted := vector.Problem; {
	case wanted != nil:
		if !errors.As(err, &problem) || *wanted != (refusedVector{problem.Status, problem.Code, problem.Error()}) {
			t.Fatalf("%v is not %+v", err, wanted)
		}
	case vector.Unavailable != nil:
		wanted := vector.Unavailable
		if !errors.As(err, &unavailable) || unavailable.Code != wanted.Code || unavailable.Status != wanted.Status {
			t.Fatalf("%v is not %+v", err, wanted)
		}
	case err != nil:
		t.Fatal(err)
	default:
		requireJSON(t, "result", result, vector.Result)
	}
}

func requireRequests(t *testing.T, vector jobVector, requests []playedRequest) {
	t.Helper()
	requireJSON(t, "requests", len(requests), len(vector.Requests))
	keys := map[any]bool{}
	for place, request := range requests {
		wanted := vector.Requests[place]
		path := request.path
		if request.query != "" {
			path += "?" + request.query
		}
		requireJSON(t, "path", request.method+" "+path, wanted.Method+" "+wanted.Path)
		requireJSON(t, "body", masked(request.body, wanted.Body, keys), wanted.Body)
		if wanted.IdempotencyKey != "" {
			keys[request.header.Get("idempotency-key")] = true
		}
		requireJSON(t, "key", request.header.Get("authorization"), "Bearer key")
	}
	for key := range keys {
		if text, ok := key.(string); len(keys) > 1 || !ok || !generated.MatchString(text) {
			t.Fatalf("the generated keys are %v", keys)
		}
	}
}

// masked returns the value with generated keys as the vectors write them, and collects the keys.
func masked(value, wanted any, keys map[any]bool) any {
	switch value := value.(type) {
	case map[string]any:
		others, _ := wanted.(map[string]any)
		for name, each := range value {
			value[name] = masked(each, others[name], keys)
		}
	case []any:
		others, _ := wanted.([]any)
		for place, each := range value {
			if place < len(others) {
				value[place] = masked(each, others[place], keys)
			}
		}
	default:
		if wanted == "*" {
			keys[value] = true
			return "*"
		}
	}
	return value
}

func TestJobsOfMusterAreScheduledFoundMovedAndCancelled(t *testing.T) {
	if os.Getenv("MUSTER_URL") == "" {
		t.Skip("needs MUSTER_URL")
	}
	ctx := context.Background()
	client := NewClient(os.Getenv("MUSTER_URL"), os.Getenv("MUSTER_API_KEY"), 5)
	require := func(answer Fields, err error) Fields {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	wanted := Fields{"client": "orders", "url": "https://shop.test/hook", "delaySeconds": 60, "idempotencyKey": "order-17"}
	id := require(client.Schedule(ctx, wanted))["id"].(string)
	requireJSON(t, "duplicate", require(client.Schedule(ctx, wanted))["duplicate"], true)
	many := require(client.ScheduleMany(ctx, "orders", []Fields{{"url": "https://shop.test/hook"}}))
	requireJSON(t, "accepted", many["results"].([]any)[0].(Fields)["status"], "accepted")
	requireJSON(t, "state", require(client.Job(ctx, id))["state"], "pending")
	requireJSON(t, "moved", require(client.Reschedule(ctx, id, Fields{"delaySeconds": 120}))["id"], id)
	found := false
	err := client.Jobs(ctx, url.Values{"client": {"orders"}}, func(job Fields) error {
		found = found || job["id"] == id
		return nil
	})
	requireJSON(t, "listed", found && err == nil, true)
	named := Fields{"client": "orders", "idempotencyKeys": []string{"order-17"}}
	requireJSON(t, "found", len(require(client.FindMany(ctx, named))["results"].([]any)), 1)
	requireJSON(t, "cancelled", require(client.Cancel(ctx, id)), Fields{"id": id, "result": "cancelled"})
	resent := require(client.Resend(ctx, Fields{"client": "orders", "ids": []string{id}}))
	requireJSON(t, "resent", len(resent["results"].([]any)), 1)
	var problem *Problem
	_, err = client.Job(ctx, "job_01h455vb4pex5vsknk084sn02q")
	if !errors.As(err, &problem) || problem.Status != 404 || problem.Code != "job-not-found" {
		t.Fatal(err)
	}
}
