import json
import os
import time
import unittest
import uuid

from muster_sdk import SUCCEEDED, BatchEndpoint, MemoryStore, NotNow, PostgresStore, Refused, failed, sign

from .vectors import VECTORS, silence


class VectorAction:
    """The action that the vectors describe."""

    def __init__(self):
        self.given = []

    def __call__(self, call, users, _transaction):
        self.given += users
        if call.params.get("crash"):
            raise RuntimeError("the action failed, as the vector wants")
        if call.params.get("refuse"):
            raise Refused("unknown-reward", "no such reward", field="/action/params/rewardId", value="ride-9")
        if "waitSeconds" in call.params:
            raise NotNow(call.params["waitSeconds"])
        kept = users[:-1] if call.params.get("forget") else users
        return {user: _outcome_of(user) for user in kept}


def _outcome_of(user):
    if user.startswith("sold-out"):
        return failed("out-of-stock", "none are left")
    return failed("busy", "try again", retryable=True) if user.startswith("busy") else SUCCEEDED


def _merged(base, change):
    return {name: value for name, value in {**base, **change}.items() if value is not None}


def _options(endpoint):
    names = {
        "answerForm": "answer_form",
        "isAccepting": "is_accepting",
        "authorization": "authorization",
        "signingSecrets": "signing_secrets",
        "maxUsers": "max_users",
        "maxBodyBytes": "max_body_bytes",
    }
    return {option: endpoint[name] for name, option in names.items() if name in endpoint}


class EndpointOfMemory(unittest.TestCase):
    def store(self):
        return MemoryStore()

    def prefix(self):
        """Returns the vector's own prefix of keys and runs, because a store in Postgres outlives the test."""
        return ""

    def test_answers_the_vectors(self):
        self.assertGreater(len(VECTORS["batches"]), 30)
        for vector in VECTORS["batches"]:
            with self.subTest(vector["name"]), silence():
                self.play(vector)

    def play(self, vector):
        action, prefix = VectorAction(), self.prefix()
        options = _options(vector["endpoint"])
        endpoint = BatchEndpoint(action, vector["endpoint"]["class"], self.store(), **options)
        for call in vector["calls"]:
            action.given.clear()
            headers = _merged(VECTORS["call"]["headers"], call.get("headers", {}))
            text = call.get("text") or json.dumps(_merged(VECTORS["call"]["body"], call.get("body", {})))
            # Keys and runs of this vector alone.
            body = text.replace('"run_', f'"{prefix}run_').encode()
            if "idempotency-key" in headers:
                headers["idempotency-key"] = prefix + headers["idempotency-key"]
            if "signedAs" in call:
                call_id, now = prefix + call["signedAs"], int(time.time())
                headers["webhook-id"], headers["webhook-timestamp"] = call_id, str(now)
                headers["webhook-signature"] = sign(vector["endpoint"]["signingSecrets"][0], call_id, now, body)
            reply = endpoint.handle(
                call.get("method", VECTORS["call"]["method"]), call.get("path", VECTORS["call"]["path"]), headers, body
            )
            expected = call["expect"]
            self.assertEqual(reply.status, expected["status"], reply.body)
            for name, value in expected.get("headers", {}).items():
                self.assertEqual({key.lower(): each for key, each in reply.headers.items()}.get(name), value)
            if expected["status"] < 300:
                self.assertEqual(_without_defaults(reply.body), _without_defaults(expected["body"]))
            else:
                value_field = {name: reply.body.get(name) for name in expected["body"]}
                if prefix and isinstance(value_field.get("value"), str):
                    value_field["value"] = value_field["value"].replace(prefix, "")
                self.assertEqual(value_field, expected["body"])
            self.assertEqual(action.given, expected["given"])


@unittest.skipUnless("DATABASE_URL" in os.environ, "needs DATABASE_URL")
class EndpointOfPostgres(EndpointOfMemory):
    @classmethod
    def setUpClass(cls):
        import psycopg

        cls.postgres = PostgresStore(lambda: psycopg.connect(os.environ["DATABASE_URL"]))
        cls.postgres.create_tables()

    def store(self):
        return self.postgres

    def prefix(self):
        return f"{uuid.uuid4().hex}-"

    def test_postpones_calls_while_the_database_is_not_available(self):
        def refuse():
            raise OSError("no database")

        action = VectorAction()
        with silence():
            reply = BatchEndpoint(action, "A", PostgresStore(refuse)).handle(
                "POST", "/", VECTORS["call"]["headers"], json.dumps(VECTORS["call"]["body"]).encode()
            )
        self.assertEqual((reply.status, reply.headers["Retry-After"], action.given), (503, "1", []))

    def test_forgets_what_is_older_than_repeats(self):
        vector = next(each for each in VECTORS["batches"] if each["name"].startswith("class A: a repeat"))
        self.play(vector)
        self.postgres.forget(older_than_days=1)
        with self.postgres.open() as records:
            records.transaction.execute("update muster_results set at = now() - interval '2 days'")
        self.postgres.forget(older_than_days=1)
        with self.postgres.open() as records:
            records.transaction.execute("select count(*) from muster_results")
            self.assertEqual(records.transaction.fetchone(), (0,))


def _without_defaults(body):
    """`retryable: false` may be left out."""
    lists = {name: value for name, value in body.items() if isinstance(value, list)}
    plain = {
        name: [{key: each for key, each in one.items() if (key, each) != ("retryable", False)} for one in value]
        for name, value in lists.items()
    }
    return {**body, **plain}


if __name__ == "__main__":
    unittest.main()
