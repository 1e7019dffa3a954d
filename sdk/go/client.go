package muster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	usualWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
)

// Fields of a JSON object of the API.
type Fields = map[string]any

type sender struct {
	http    *http.Client
	retries int
	sleep   func(context.Context, time.Duration) error
}

func newSender(retries int) sender {
	// A redirect would send the key to another server.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return sender{&http.Client{Timeout: 30 * time.Second, CheckRedirect: refuse}, retries, sleep}
}

type received struct {
	status int
	header http.Header
	fields Fields
}

// send sends a request whose repeats have no second effect. It repeats requests that were refused temporarily, or whose
// answer was lost, and returns the last answer. `sign` sets headers for each attempt.
func (sender sender) send(
	ctx context.Context, method, url string, body []byte, sign func(http.Header) error, isForNow func(received) bool,
) (received, error) {
	for left := sender.retries; ; left-- {
		answer, err := sender.sendOnce(ctx, method, url, body, sign)
		wait := usualWait
		if err == nil {
			switch answer.status {
			case 429, 502, 503, 504:
			default:
				if !isForNow(answer) {
					return answer, nil
				}
			}
			wait = answer.wait()
		}
		if left <= 0 || ctx.Err() != nil {
			return answer, err
		}
		if err := sender.sleep(ctx, wait); err != nil {
			return answer, err
		}
	}
}

func (sender sender) sendOnce(
	ctx context.Context, method, url string, body []byte, sign func(http.Header) error,
) (received, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return received{}, err
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if err := sign(request.Header); err != nil {
		return received{}, err
	}
	response, err := sender.http.Do(request)
	if err != nil {
		return received{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return received{}, err
	}
	answer := received{status: response.StatusCode, header: response.Header}
	// Another server may answer with any body. An answer without fields is not from Muster.
	_ = json.Unmarshal(content, &answer.fields)
	return answer, nil
}

func (answer received) wait() time.Duration {
	seconds, err := strconv.ParseFloat(answer.header.Get("retry-after"), 64)
	if err != nil || seconds < 0 {
		return usualWait
	}
	return min(longestWait, time.Duration(seconds*float64(time.Second)))
}

func (answer received) text(name, otherwise string) string {
	if text, ok := answer.fields[name].(string); ok {
		return text
	}
	return otherwise
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func never(received) bool { return false }

// newKey returns a UUID of version 4.
func newKey() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err)
	}
	bytes[6], bytes[8] = bytes[6]&0x0f|0x40, bytes[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
}
