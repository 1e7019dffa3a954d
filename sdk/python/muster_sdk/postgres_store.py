"""A store in Postgres: effects in its transaction are committed with the results that prevent their repetition."""

import json
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .contract import Call, Outcome
from .store import Store

_TABLES = """
create table if not exists muster_results (
  run text, step int, user_id text, outcome text, at timestamptz not null default now(), primary key (run, step, user_id)
);
create table if not exists muster_answers (
  key text primary key, digest text not null, answer text, at timestamptz not null default now()
);
create table if not exists muster_received (
  id text primary key, awaited_attempt int, at timestamptz not null default now()
)
"""
# Inserts users in the order of ids, so that two calls for the same users wait for each other and never deadlock.
_CLAIM = """
insert into muster_results (run, step, user_id, outcome)
select %s, %s, u, %s from json_array_elements_text(%s::json) u order by u collate "C"
on conflict do nothing returning user_id
"""
_OF_USERS = "where run = %s and step = %s and user_id in (select json_array_elements_text(%s::json))"
_RECORD = """
update muster_results set outcome = given.value
from json_each_text(%s::json) given where run = %s and step = %s and user_id = given.key
"""


class PostgresStore(Store):
    """Takes a function that opens a connection of psycopg: `lambda: psycopg.connect(url)`. Safe for threads."""

    def __init__(self, connect: Callable[[], Any], *, idle_connections: int = 10) -> None:
        self._connect = connect
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue(idle_connections)

    def create_tables(self) -> None:
        """Creates the tables `muster_…` unless they exist."""
        with self.open() as records:
            # Without this lock, two instances that start at the same time would both create the tables.
            records.transaction.execute("select pg_advisory_xact_lock(4021861330)")
            records.transaction.execute(_TABLES)

    def forget(self, older_than_days: int = 30) -> None:
        """Deletes old records. Keep records for at least `keyLifeSeconds`, because repeats need them."""
        with self.open() as records:
            for table in ("muster_results", "muster_answers", "muster_received"):
                statement = f"delete from {table} where at < now() - %s * interval '1 day'"
                records.transaction.execute(statement, (older_than_days,))

    @contextmanager
    def open(self, *, is_kept: bool = True) -> Iterator["_Records"]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            with connection.cursor() as cursor:
                # A statement that has waited for another call has to see the rows which that call committed.
                cursor.execute("set transaction isolation level read committed")
                yield _Records(cursor)
            if is_kept:
                connection.commit()
            else:
                connection.rollback()
        except BaseException:
            # The server rolls back. A connection that failed is not used again.
            connection.close()
            raise
        try:
            self._idle.put_nowait(connection)
        except queue.Full:
            connection.close()


class _Records:
    def __init__(self, cursor: Any) -> None:
        self.transaction = cursor

    def claim(self, call: Call, outcome: Outcome | None) -> list[str]:
        text = None if outcome is None else json.dumps(outcome.to_json())
        rows = self._rows(_CLAIM, call.run, call.step, text, json.dumps(call.users))
        claimed = {user for (user,) in rows}
        return [user for user in call.users if user in claimed]

    def read(self, run: str, step: int, users: Sequence[str]) -> dict[str, Outcome]:
        select = f"select user_id, outcome from muster_results {_OF_USERS} and outcome is not null"
        return {user: Outcome(**json.loads(text)) for user, text in self._rows(select, run, step, json.dumps(users))}

    def record(self, call: Call, outcomes: Mapping[str, Outcome | None]) -> None:
        kept = {user: json.dumps(outcome.to_json()) for user, outcome in outcomes.items() if outcome is not None}
        self.transaction.execute(_RECORD, (json.dumps(kept), call.run, call.step))
        removed = [user for user in outcomes if user not in kept]
        if removed:
            delete = f"delete from muster_results {_OF_USERS}"
            self.transaction.execute(delete, (call.run, call.step, json.dumps(removed)))

    def claim_key(self, call: Call) -> tuple[str, Mapping[str, Outcome]] | None:
        claim = "insert into muster_answers (key, digest) values (%s, %s) on conflict do nothing returning key"
        if self._rows(claim, call.key, call.digest):
            return None
        ((digest, answer),) = self._rows("select digest, answer from muster_answers where key = %s", call.key)
        return digest, {user: Outcome(**outcome) for user, outcome in json.loads(answer).items()}

    def answer(self, call: Call, outcomes: Mapping[str, Outcome]) -> None:
        answer = json.dumps({user: outcome.to_json() for user, outcome in outcomes.items()})
        self.transaction.execute("update muster_answers set answer = %s where key = %s", (answer, call.key))

    def claim_callback(self, call_id: str) -> int | None:
        if self._rows("insert into muster_received (id) values (%s) on conflict do nothing returning id", call_id):
            return 0
        select = "select awaited_attempt from muster_received where id = %s for update"
        ((awaited,),) = self._rows(select, call_id)
        return awaited

    def await_report(self, call_id: str, attempt: int | None) -> None:
        update = "update muster_received set awaited_attempt = %s where id = %s"
        self.transaction.execute(update, (attempt, call_id))

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        return self.transaction.execute(statement, values).fetchall()
