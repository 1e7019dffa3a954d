package muster

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
)

// tables creates the tables once, even if two instances start at the same time.
const tables = `
select pg_advisory_xact_lock(4021861330);
create table if not exists muster_results (
  run text, step int, user_id text, outcome text, at timestamptz not null default now(), primary key (run, step, user_id)
);
create table if not exists muster_answers (
  key text primary key, digest text not null, answer text, at timestamptz not null default now()
);
create table if not exists muster_received (
  id text primary key, awaited_attempt int, at timestamptz not null default now()
)`

const (
	// Inserts users in the order of ids, so that two calls for the same users wait for each other and never deadlock.
	claimUsers = `
insert into muster_results (run, step, user_id, outcome)
select $1, $2, u, $3 from json_array_elements_text($4::json) u order by u collate "C"
on conflict do nothing returning user_id`
	recordOutcomes = `
update muster_results set outcome = given.value
from json_each_text($1::json) given where run = $2 and step = $3 and user_id = given.key`
	ofUsers     = ` where run = $1 and step = $2 and user_id in (select json_array_elements_text($3::json))`
	deleteUsers = `delete from muster_results` + ofUsers
	readUsers   = `select user_id, outcome from muster_results` + ofUsers + ` and outcome is not null`
)

// PostgresStore commits effects in its transaction together with the results that prevent their repetition. It works
// with any driver of Postgres for database/sql.
type PostgresStore struct{ db *sql.DB }

func NewPostgresStore(db *sql.DB) *PostgresStore { return &PostgresStore{db} }

// CreateTables creates the tables muster_… unless they exist.
func (store *PostgresStore) CreateTables(ctx context.Context) error {
	return store.In(ctx, true, func(records Records) error {
		_, err := records.Tx().ExecContext(ctx, tables)
		return err
	})
}

// Forget deletes old records. Keep records for at least keyLifeSeconds, because repeats need them.
func (store *PostgresStore) Forget(ctx context.Context, olderThanDays int) error {
	return store.In(ctx, true, func(records Records) error {
		for _, table := range []string{"muster_results", "muster_answers", "muster_received"} {
			statement := "delete from " + table + " where at < now() - $1 * interval '1 day'"
			if _, err := records.Tx().ExecContext(ctx, statement, olderThanDays); err != nil {
				return err
			}
		}
		return nil
	})
}

// In runs at read committed: a statement that has waited for another call has to see the rows that it committed.
func (store *PostgresStore) In(ctx context.Context, isKept bool, do func(Records) error) error {
	tx, err := store.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(rows{ctx, tx}); err != nil || !isKept {
		return err
	}
	return tx.Commit()
}

type rows struct {
	ctx context.Context
	tx  *sql.Tx
}

func (rows rows) Tx() *sql.Tx { return rows.tx }

func (rows rows) Claim(call Call, outcome *Outcome) ([]string, error) {
	var text sql.NullString
	if outcome != nil {
		text = sql.NullString{String: toJSON(outcome), Valid: true}
	}
	claimed := map[string]bool{}
	err := rows.each(func(found *sql.Rows) error {
		var user string
		err := found.Scan(&user)
		claimed[user] = true
		return err
	}, claimUsers, call.Run, call.Step, text, toJSON(call.Users))
	return slices.DeleteFunc(slices.Clone(call.Users), func(user string) bool { return !claimed[user] }), err
}

func (rows rows) Read(run string, step int, users []string) (Outcomes, error) {
	known := Outcomes{}
	err := rows.each(func(found *sql.Rows) error {
		var user, text string
		var outcome Outcome
		if err := found.Scan(&user, &text); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(text), &outcome)
		known[user] = outcome
		return err
	}, readUsers, run, step, toJSON(users))
	return known, err
}

func (rows rows) Record(call Call, outcomes map[string]*Outcome) error {
	kept, removed := map[string]string{}, []string{}
	for user, outcome := range outcomes {
		if outcome == nil {
			removed = append(removed, user)
		} else {
			kept[user] = toJSON(outcome)
		}
	}
	if _, err := rows.change(recordOutcomes, toJSON(kept), call.Run, call.Step); err != nil || len(removed) == 0 {
		return err
	}
	_, err := rows.change(deleteUsers, call.Run, call.Step, toJSON(removed))
	return err
}

func (rows rows) ClaimKey(call Call) (digest string, outcomes Outcomes, err error) {
	const insert = "insert into muster_answers (key, digest) values ($1, $2) on conflict do nothing"
	if inserted, err := rows.change(insert, call.Key, call.digest); err != nil || inserted == 1 {
		return "", nil, err
	}
	var answer string
	row := rows.tx.QueryRowContext(rows.ctx, "select digest, answer from muster_answers where key = $1", call.Key)
	if err := row.Scan(&digest, &answer); err != nil {
		return "", nil, err
	}
	err = json.Unmarshal([]byte(answer), &outcomes)
	return digest, outcomes, err
}

func (rows rows) Answer(call Call, outcomes Outcomes) error {
	_, err := rows.change("update muster_answers set answer = $1 where key = $2", toJSON(outcomes), call.Key)
	return err
}

func (rows rows) ClaimCallback(id string) (bool, int, error) {
	inserted, err := rows.change("insert into muster_received (id) values ($1) on conflict do nothing", id)
	if err != nil || inserted == 1 {
		return true, 0, err
	}
	var awaited sql.NullInt64
	const read = "select awaited_attempt from muster_received where id = $1 for update"
	err = rows.tx.QueryRowContext(rows.ctx, read, id).Scan(&awaited)
	return false, int(awaited.Int64), err
}

func (rows rows) AwaitReport(id string, attempt int) error {
	awaited := sql.NullInt64{Int64: int64(attempt), Valid: attempt > 0}
	_, err := rows.change("update muster_received set awaited_attempt = $1 where id = $2", awaited, id)
	return err
}

// change returns the number of changed rows.
func (rows rows) change(statement string, values ...any) (int64, error) {
	result, err := rows.tx.ExecContext(rows.ctx, statement, values...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (rows rows) each(read func(*sql.Rows) error, statement string, values ...any) error {
	found, err := rows.tx.QueryContext(rows.ctx, statement, values...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := read(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// toJSON writes values of this package, which always have a JSON form.
func toJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
