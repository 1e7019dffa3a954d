import os
import time
import unittest
import uuid

from muster_sdk import CallbackReceiver, Later, MemoryStore, PostgresStore, UnverifiedCall, sign, verify
from muster_sdk.reports import Invitation, RefusedReport, invitation_in, report, send_receipts

from .vectors import VECTORS, PlayedMuster, silence


class Signatures(unittest.TestCase):
    def test_are_verified_as_the_vectors_say(self):
        for vector in VECTORS["signatures"]:
            with self.subTest(vector["name"]):
                body, now = vector["body"].encode(), vector["now"]
                if vector["isValid"]:
                    self.assertEqual(verify(vector["headers"], body, vector["secrets"], now=now), "msg_p5jXN8AQM9LWM0D4loKWxJek")
                else:
                    with self.assertRaises(UnverifiedCall):
                        verify(vector["headers"], body, vector["secrets"], now=now)


class ReceiverOfMemory(unittest.TestCase):
    def store(self):
        return MemoryStore()

    def test_answers_the_vectors(self):
        for vector in VECTORS["receivers"]["vectors"]:
            with self.subTest(vector["name"]), silence():
                self.play(vector)

    def play(self, vector):
        done, suffix = [], uuid.uuid4().hex

        def work(callback, _transaction):
            done.append(callback.id)
            if callback.body == b"fail":
                raise RuntimeError("the work failed, as the vector wants")
            return Later() if callback.body == b"later" else None

        secret = VECTORS["receivers"]["secret"]
        receiver = CallbackReceiver(work, [secret], self.store(), muster_url="https://muster.test")
        for call in vector["calls"]:
            call_id, now, body = call["id"] + suffix, int(time.time()), call["body"].encode()
            headers = {
                "webhook-id": call_id,
                "webhook-timestamp": str(now),
                "webhook-signature": sign(call.get("secret", secret), call_id, now, body),
                "muster-attempt": str(call["attempt"]),
            }
            if call.get("reports"):
                headers.update(VECTORS["invitations"][0]["headers"])
            reply = receiver.handle("POST", "/", headers, body)
            self.assertEqual((reply.status, len(done)), (call["expect"]["status"], call["expect"]["done"]))


@unittest.skipUnless("DATABASE_URL" in os.environ, "needs DATABASE_URL")
class ReceiverOfPostgres(ReceiverOfMemory):
    def store(self):
        import psycopg

        store = PostgresStore(lambda: psycopg.connect(os.environ["DATABASE_URL"]))
        store.create_tables()
        return store


class Reports(unittest.TestCase):
    def test_are_invited_as_the_vectors_say(self):
        for vector in VECTORS["invitations"]:
            with self.subTest(vector["name"]):
                found = invitation_in(vector["headers"], vector["musterUrl"])
                wanted = vector["invitation"]
                self.assertEqual(found, wanted and Invitation(wanted["url"], wanted["token"], wanted["withinSeconds"]))

    def test_are_sent_as_the_vectors_say(self):
        for vector in VECTORS["reports"]:
            with self.subTest(vector["name"]), PlayedMuster(vector["answers"]) as muster:
                invitation = Invitation(f"{muster.url}/report", "v1.a.b", 60)
                self.assert_ends(vector, lambda: report(invitation, **vector["report"], sleep=lambda _: None))
                self.assertEqual(len(muster.requests), len(vector["answers"]))
                for _, _, headers, body in muster.requests:
                    self.assertEqual((headers["authorization"], body), ("Bearer v1.a.b", vector["report"]))

    def test_of_receipts_are_sent_as_the_vectors_say(self):
        for vector in VECTORS["receipts"]:
            with self.subTest(vector["name"]), PlayedMuster(vector["answers"]) as muster:
                receipts = vector["receipts"]
                self.assert_ends(
                    vector, lambda: send_receipts(muster.url, vector["secret"], receipts, sleep=lambda _: None)
                )
                for method, path, headers, body in muster.requests:
                    self.assertEqual((method, path, body), ("POST", "/v1/receipts", {"receipts": receipts}))
                    self.assertTrue(headers["webhook-signature"].startswith("v1,"))

    def assert_ends(self, vector, send):
        if "refused" not in vector:
            self.assertEqual(send(), vector["result"])
            return
        with self.assertRaises(RefusedReport) as refused:
            send()
        found = {"status": refused.exception.status, "code": refused.exception.code}
        self.assertEqual(found, vector["refused"])


if __name__ == "__main__":
    unittest.main()
