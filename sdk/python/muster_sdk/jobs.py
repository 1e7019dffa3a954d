"""A client of jobs: HTTP calls that Muster makes once at a time (docs/jobs.md)."""

import json
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .http_client import Answer, Unanswered, send_once, send_with_repeats

Fields = dict[str, Any]


class MusterProblem(Exception):
    """Error of a request that Muster refused. Distinguish problems by `code`; `errors` has each invalid field."""

    def __init__(self, problem: Fields) -> None:
        super().__init__(_message_of(problem))
        self.code: str = problem["code"]
        self.status: int = problem["status"]
        self.errors: list[Fields] = problem["errors"]
        self.problem = problem


class MusterUnavailable(Exception):
    """
    Error of a request without a valid answer from Muster, which may have processed it. `unreachable`: there was no
    answer. `unexpected-answer`: another server answered, such as a proxy.
    """

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status


class Muster:
    """
    Schedules jobs. Fields are those of the API (docs/jobs.md): `client`, `url`, `dueAt`, `delaySeconds`, `body`.
    A job without an `idempotencyKey` gets a generated one, so repeats store it only once.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        retries: int = 5,
        timeout_seconds: float = 30,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """retries: maximum number of repeats of a request that was refused temporarily, or whose answer was lost."""
        self._url = url.rstrip("/")
        self._api_key = api_key
        self._retries = retries
        self._timeout_seconds = timeout_seconds
        self._sleep = sleep

    def schedule(self, **job: Any) -> Fields:
        return self._post("/v1/jobs", _keyed(job))

    def schedule_many(self, client: str, jobs: Sequence[Fields]) -> Fields:
        """Schedules up to 5,000 jobs, with a result for each, in order."""
        return self._post("/v1/jobs/bulk", {"client": client, "jobs": [_keyed(job) for job in jobs]})

    def job(self, job_id: str) -> Fields:
        return self._send("GET", _path(job_id))

    def jobs(self, **query: Any) -> Iterator[Fields]:
        """Yields all matching jobs, page by page."""
        cursor: str | None = ""
        while cursor is not None:
            page = {"limit": 500, **query, **({"cursor": cursor} if cursor else {})}
            answer = self._send("GET", f"/v1/jobs?{urllib.parse.urlencode(page, doseq=True)}")
            yield from answer["items"]
            cursor = answer["next"]

    def cancel(self, job_id: str) -> Fields:
        return self._post(f"{_path(job_id)}/cancel")

    def reschedule(self, job_id: str, **due: Any) -> Fields:
        """Moves a job to `dueAt`, `delaySeconds`, or `localTime` and `zone`."""
        return self._post(f"{_path(job_id)}/reschedule", due)

    def run_now(self, job_id: str) -> Fields:
        return self._post(f"{_path(job_id)}/run-now")

    def find_many(self, client: str, **named: Sequence[str]) -> Fields:
        """Finds jobs by up to 5,000 `ids` or `idempotencyKeys`, with a result for each."""
        return self._post("/v1/jobs/find", {"client": client, **named})

    def cancel_many(self, client: str, **named: Sequence[str]) -> Fields:
        return self._post("/v1/jobs/cancel", {"client": client, **named})

    def resend(self, client: str, **named: Any) -> Fields:
        """Sends ended jobs again as new jobs; a repeat of the request sends nothing twice."""
        return self._post("/v1/jobs/resend", {"client": client, **named}, {"idempotency-key": str(uuid.uuid4())})

    def _post(self, path: str, body: Fields | None = None, headers: Mapping[str, str] | None = None) -> Fields:
        return self._send("POST", path, body, headers)

    def _send(self, method: str, path: str, body: Fields | None = None, headers: Mapping[str, str] | None = None) -> Fields:
        """Sends a request, and may repeat it: each job has its own key, and other repeats have no second effect."""
        content = None if body is None else json.dumps(body).encode()
        sent = {"authorization": f"Bearer {self._api_key}", "accept": "application/json", **(headers or {})}
        if content is not None:
            sent["content-type"] = "application/json"
        url = self._url + path
        try:
            answer = send_with_repeats(
                lambda: send_once(method, url, sent, content, self._timeout_seconds),
                self._retries,
                sleep=self._sleep,
            )
        except Unanswered as error:
            raise MusterUnavailable("unreachable", str(error)) from error
        return _result_of(answer, url)


def _result_of(answer: Answer, url: str) -> Fields:
    found = answer.fields()
    if 200 <= answer.status < 300 and found:
        return found
    if all(name in found for name in ("code", "status", "errors")):
        raise MusterProblem(found)
    message = f"{url} answered {answer.status}, but not as Muster does"
    raise MusterUnavailable("unexpected-answer", message, answer.status)


def _path(job_id: str) -> str:
    return f"/v1/jobs/{urllib.parse.quote(job_id, safe='')}"


def _keyed(job: Fields) -> Fields:
    return job if job.get("idempotencyKey") is not None else {**job, "idempotencyKey": str(uuid.uuid4())}


def _message_of(problem: Fields) -> str:
    detail, errors = problem.get("detail", problem["code"]), problem["errors"]
    if not errors:
        return detail
    more = "" if len(errors) == 1 else f", and {len(errors) - 1} more"
    return f"{detail}: {errors[0].get('pointer')} {errors[0].get('detail')}{more}"
