package muster

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrUnverified is wrapped by the errors of Verify.
var ErrUnverified = errors.New("unverified call")

const tolerance = 300 * time.Second

// Sign returns the value of webhook-signature under a secret whsec_… (Standard Webhooks 1.0).
func Sign(secret, id string, timestamp int64, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return "", fmt.Errorf("a secret is no base64: %w", err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, timestamp)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// Verify returns the id of a call that one of the secrets has signed, at most five minutes from now. The body must be
// unchanged, byte by byte. The id is the same for all repeats.
func Verify(headers http.Header, body []byte, secrets []string, now time.Time) (string, error) {
	id, stamp, signatures := headers.Get("webhook-id"), headers.Get("webhook-timestamp"), headers.Get("webhook-signature")
	if id == "" || stamp == "" || signatures == "" {
		return "", fmt.Errorf("%w: a webhook-… header is missing", ErrUnverified)
	}
	seconds, err := strconv.ParseUint(stamp, 10, 40)
	if err != nil {
		return "", fmt.Errorf("%w: webhook-timestamp is no number of seconds", ErrUnverified)
	}
	if now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return "", fmt.Errorf("%w: its time is too far from now", ErrUnverified)
	}
	// All pairs are compared, in constant time, so that the duration reveals nothing about the secrets.
	matches := 0
	for _, secret := range secrets {
		expected, err := Sign(secret, id, int64(seconds), body)
		if err != nil {
			return "", err
		}
		for _, offered := range strings.Split(signatures, " ") {
			matches |= subtle.ConstantTimeCompare([]byte(offered), []byte(expected))
		}
	}
	if matches == 0 {
		return "", fmt.Errorf("%w: no signature is of this body under one of these secrets", ErrUnverified)
	}
	return id, nil
}
