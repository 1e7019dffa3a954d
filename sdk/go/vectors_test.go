package muster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"testing"
)

type answerVector struct {
	Lost    bool
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	Text    string
}

func (answer *answerVector) UnmarshalJSON(text []byte) error {
	if string(text) == `"lost"` {
		answer.Lost = true
		return nil
	}
	type plain answerVector
	return json.Unmarshal(text, (*plain)(answer))
}

type refusedVector struct {
	Status  int
	Code    string
	Message string
}

type jobVector struct {
	Name, Call, Client, ID string
	Job, Due, Named        Fields
	Jobs                   []Fields
	Query                  map[string]string
	Retries                *int
	Answers                []answerVector
	Requests               []struct {
		Method, Path   string
		Body           any
		IdempotencyKey string
	}
	Result      any
	Problem     *refusedVector
	Unavailable *refusedVector
}

type batchVector struct {
	Name     string
	Endpoint struct {
		Class          Class
		AnswerForm     string
		IsAccepting    bool
		Authorization  string
		SigningSecrets []string
		MaxUsers       int
		MaxBodyBytes   int64
	}
	Calls []struct {
		Method, Path, Text, SignedAs string
		Headers, Body                map[string]any
		Expect                       struct {
			Status  int
			Headers map[string]string
			Body    map[string]any
			Given   []string
		}
	}
}

var vectors struct {
	Signatures []struct {
		Name    string
		Secrets []string
		Headers map[string]string
		Body    string
		Now     int64
		IsValid bool
	}
	Call struct {
		Method, Path  string
		Headers, Body map[string]any
	}
	Batches   []batchVector
	Receivers struct {
		Secret  string
		Vectors []struct {
			Name  string
			Calls []struct {
				ID, Body, Secret string
				Attempt          int
				Reports          bool
				Expect           struct{ Status, Done int }
			}
		}
	}
	Jobs        []jobVector
	Invitations []struct {
		Name       string
		Headers    map[string]string
		MusterURL  string
		Invitation *Invitation
	}
	Reports []struct {
		Name    string
		Report  Fields
		Answers []answerVector
		Result  string
		Refused *refusedVector
	}
	Receipts []struct {
		Name, Secret string
		Receipts     []Fields
		Answers      []answerVector
		Result       []Fields
		Refused      *refusedVector
	}
}

func TestMain(m *testing.M) {
	text, err := os.ReadFile("../kits/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &vectors)
	}
	if err != nil {
		panic(err)
	}
	// Expected errors of the vectors.
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

type playedRequest struct {
	method, path string
	query        string
	header       http.Header
	body         any
}

// playMuster returns the given answers one after another, and records requests.
func playMuster(t *testing.T, answers []answerVector) (url string, requests *[]playedRequest) {
	requests = &[]playedRequest{}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		content, _ := io.ReadAll(request.Body)
		var body any
		_ = json.Unmarshal(content, &body)
		query := request.URL.Query().Encode()
		*requests = append(*requests, playedRequest{request.Method, request.URL.Path, query, request.Header, body})
		if len(*requests) > len(answers) || answers[len(*requests)-1].Lost {
			panic(http.ErrAbortHandler)
		}
		answer := answers[len(*requests)-1]
		for name, value := range answer.Headers {
			writer.Header().Set(name, value)
		}
		writer.WriteHeader(answer.Status)
		if answer.Text != "" {
			fmt.Fprint(writer, answer.Text)
		} else {
			_, _ = writer.Write(answer.Body)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// requireJSON compares two values as JSON.
func requireJSON(t *testing.T, what string, found, wanted any) {
	t.Helper()
	if !reflect.DeepEqual(plain(t, found), plain(t, wanted)) {
		t.Fatalf("%s: found %s, wanted %s", what, toJSON(found), toJSON(wanted))
	}
}

func plain(t *testing.T, value any) (parsed any) {
	t.Helper()
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(value); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &parsed); err != nil {
		t.Fatal(err)
	}
	return parsed
}
