package muster

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"log"
	"net/http"
	"strconv"
	"time"
)

const maxCallbackBytes = 1 << 20

// Callback is one call of a job.
type Callback struct {
	ID      string
	Attempt int
	Body    []byte
	Headers http.Header
	// ReportTo is nil unless Muster accepts a report for this call.
	ReportTo *Invitation
}

// Receiver is an http.Handler that does the work of each job once, in the transaction of the store, and answers 204 when
// it is done. Work that returns an error is answered 500: Muster calls again by the rules of the endpoint.
type Receiver struct {
	// Work returns true if it has stored ReportTo and will report later. The answer is then 202.
	Work func(ctx context.Context, callback Callback, tx *sql.Tx) (isLater bool, err error)
	// Secrets of the endpoint, each whsec_…; there are several during a rotation.
	Secrets []string
	Store   Store
	// MusterURL is needed if calls contain only the path of the report.
	MusterURL string
}

func (receiver *Receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, maxCallbackBytes))
	if err != nil {
		write(writer, http.StatusRequestEntityTooLarge, map[string]any{"code": "body-too-large"})
		return
	}
	id, err := Verify(request.Header, body, receiver.Secrets, time.Now())
	if err != nil {
		write(writer, http.StatusUnauthorized, map[string]any{"code": "unverified", "message": err.Error()})
		return
	}
	attempt, err := strconv.Atoi(request.Header.Get("muster-attempt"))
	if err != nil || attempt < 1 {
		attempt = 1
	}
	callback := Callback{id, attempt, body, request.Header, InvitationIn(request.Header, receiver.MusterURL)}
	// The work continues after its connection was lost. A repeat of the call then finds that the work is done.
	ctx := context.WithoutCancel(request.Context())
	isLater, err := receiveOnce(ctx, receiver.Store, id, attempt, func(tx *sql.Tx) (bool, error) {
		isLater, err := receiver.Work(ctx, callback, tx)
		if err == nil && isLater && callback.ReportTo == nil {
			err = errors.New("Muster expects no report of this call: set reportWithinSeconds of the endpoint")
		}
		return isLater, err
	})
	switch {
	case err != nil:
		log.Printf("muster: the work of a callback failed: %v", err)
		write(writer, http.StatusInternalServerError, map[string]any{"code": "internal-error", "message": "the work failed"})
	case isLater:
		writer.WriteHeader(http.StatusAccepted)
	default:
		writer.WriteHeader(http.StatusNoContent)
	}
}
