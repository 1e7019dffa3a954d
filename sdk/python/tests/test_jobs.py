import os
import re
import unittest

from muster_sdk import Muster, MusterProblem, MusterUnavailable

from .vectors import VECTORS, PlayedMuster, normalized


def _call(muster, vector):
    calls = {
        "schedule": lambda: muster.schedule(**vector["job"]),
        "scheduleMany": lambda: muster.schedule_many(vector["client"], vector["jobs"]),
        "job": lambda: muster.job(vector["id"]),
        "jobs": lambda: list(muster.jobs(**vector["query"])),
        "cancel": lambda: muster.cancel(vector["id"]),
        "reschedule": lambda: muster.reschedule(vector["id"], **vector["due"]),
        "runNow": lambda: muster.run_now(vector["id"]),
        "findMany": lambda: muster.find_many(vector["client"], **vector["named"]),
        "cancelMany": lambda: muster.cancel_many(vector["client"], **vector["named"]),
        "resend": lambda: muster.resend(vector["client"], **vector["named"]),
    }
    return calls[vector["call"]]()


class Jobs(unittest.TestCase):
    def test_are_requested_as_the_vectors_say(self):
        for vector in VECTORS["jobs"]:
            with self.subTest(vector["name"]), PlayedMuster(vector["answers"]) as played:
                self.play(vector, played)

    def play(self, vector, played):
        self.waits = []
        muster = Muster(played.url, "key", retries=vector.get("retries", 5), sleep=self.waits.append)
        if "problem" in vector:
            with self.assertRaises(MusterProblem) as problem:
                _call(muster, vector)
            error = problem.exception
            self.assertEqual({"code": error.code, "status": error.status, "message": str(error)}, vector["problem"])
        elif "unavailable" in vector:
            with self.assertRaises(MusterUnavailable) as unavailable:
                _call(muster, vector)
            self.assertEqual(unavailable.exception.code, vector["unavailable"]["code"])
            self.assertEqual(unavailable.exception.status, vector["unavailable"].get("status"))
        else:
            self.assertEqual(_call(muster, vector), vector["result"])
        generated = set()
        self.assertEqual(len(played.requests), len(vector["requests"]))
        for (method, path, headers, body), wanted in zip(played.requests, vector["requests"], strict=True):
            self.assertEqual(headers["authorization"], "Bearer key")
            self.assertEqual((method, normalized(path)), (wanted["method"], normalized(wanted["path"])))
            self.assertEqual(_masked(body, wanted.get("body"), generated), wanted.get("body"))
            if "idempotencyKey" in wanted:
                generated.add(headers["idempotency-key"])
        self.assertLessEqual(len(generated), 1)
        for key in generated:
            self.assertRegex(key, r"^[0-9a-f-]{36}$")

    def test_wait_as_long_as_muster_asks_for(self):
        vector = next(each for each in VECTORS["jobs"] if "refused for now" in each["name"])
        with PlayedMuster(vector["answers"]) as played:
            self.play(vector, played)
        self.assertEqual(self.waits, [0, 2])


@unittest.skipUnless("MUSTER_URL" in os.environ, "needs MUSTER_URL")
class JobsOfMuster(unittest.TestCase):
    def test_are_scheduled_found_moved_and_cancelled(self):
        muster = Muster(os.environ["MUSTER_URL"], os.environ["MUSTER_API_KEY"])
        wanted = {"client": "orders", "url": "https://shop.test/hook", "delaySeconds": 60, "idempotencyKey": "order-17"}
        job = muster.schedule(**wanted)
        self.assertFalse(job["duplicate"])
        self.assertEqual(muster.schedule(**wanted), {**job, "duplicate": True})
        many = muster.schedule_many("orders", [{"url": "https://shop.test/hook"}])
        self.assertEqual(many["results"][0]["status"], "accepted")
        self.assertEqual(muster.job(job["id"])["state"], "pending")
        self.assertEqual(muster.reschedule(job["id"], delaySeconds=120)["id"], job["id"])
        self.assertIn(job["id"], [each["id"] for each in muster.jobs(client="orders")])
        self.assertEqual(len(muster.find_many("orders", idempotencyKeys=["order-17"])["results"]), 1)
        self.assertEqual(muster.cancel(job["id"]), {"id": job["id"], "result": "cancelled"})
        self.assertEqual(len(muster.resend("orders", ids=[job["id"]])["results"]), 1)
        with self.assertRaises(MusterProblem) as problem:
            muster.job("job_01h455vb4pex5vsknk084sn02q")
        self.assertEqual((problem.exception.status, problem.exception.code), (404, "job-not-found"))


def _masked(value, wanted, generated):
    """Returns the value with generated keys as the vectors write them, and collects the keys."""
    if isinstance(value, dict) and isinstance(wanted, dict):
        return {name: _masked(each, wanted.get(name), generated) for name, each in value.items()}
    if isinstance(value, list) and isinstance(wanted, list):
        return [_masked(each, other, generated) for each, other in zip(value, wanted, strict=True)]
    if wanted == "*" and re.fullmatch("[0-9a-f-]{36}", str(value)):
        generated.add(value)
        return "*"
    return value


if __name__ == "__main__":
    unittest.main()
