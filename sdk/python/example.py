"""An endpoint of class A that credits points in your own table: once, however often Muster calls."""

import os

import psycopg

from muster_sdk import SUCCEEDED, BatchEndpoint, PostgresStore, create_server


def credit(call, users, cursor):
    rows = [(call.run, call.step, user, call.params.get("points", 1)) for user in users]
    cursor.executemany("insert into points (run, step, user_id, points) values (%s, %s, %s, %s)", rows)
    return {user: SUCCEEDED for user in users}


store = PostgresStore(lambda: psycopg.connect(os.environ["DATABASE_URL"]))
store.create_tables()
endpoint = BatchEndpoint(credit, os.environ.get("CLASS", "A"), store)
server = create_server(endpoint, port=int(os.environ.get("PORT", "9040")))
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
