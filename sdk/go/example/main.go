// An endpoint of class A that credits points in your own table: once, however often Muster calls.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	_ "github.com/lib/pq"
	muster "github.com/muster-hq/muster/sdk/go"
)

func credit(ctx context.Context, call muster.Call, users []string, tx *sql.Tx) (muster.Outcomes, error) {
	outcomes := muster.Outcomes{}
	for _, user := range users {
		const insert = "insert into points (run, step, user_id, points) values ($1, $2, $3, 1)"
		if _, err := tx.ExecContext(ctx, insert, call.Run, call.Step, user); err != nil {
			return nil, err
		}
		outcomes[user] = muster.Succeeded
	}
	return outcomes, nil
}

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	must(err)
	store := muster.NewPostgresStore(db)
	must(store.CreateTables(context.Background()))
	endpoint := &muster.Endpoint{Class: muster.Class(cmp.Or(os.Getenv("CLASS"), "A")), Action: credit, Store: store}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "9040"))
	must(err)
	fmt.Printf("listening on http://%s\n", listener.Addr())
	must(http.Serve(listener, endpoint))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
