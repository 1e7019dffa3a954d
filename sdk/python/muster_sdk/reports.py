"""Reports of callbacks that were accepted, and receipts of users that a batch endpoint accepted."""

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .http_client import Answer, send_once, send_with_repeats
from .verify import sign

MAX_RECEIPTS = 1000


@dataclass(frozen=True)
class Invitation:
    """The address of a report, for one attempt of one job. Store it with the work."""

    url: str
    token: str
    within_seconds: int


class RefusedReport(Exception):
    """Error of a report, or of receipts, that Muster did not accept."""

    def __init__(self, answer: Answer) -> None:
        found = answer.fields()
        super().__init__(found.get("detail", "it was refused"))
        self.status = answer.status
        self.code = found.get("code", "unknown")


def invitation_in(headers: Mapping[str, str], muster_url: str | None = None) -> Invitation | None:
    """Returns None if no report is expected. `muster_url` is needed if calls contain only a path."""
    named = {name.lower(): value for name, value in headers.items()}
    path, token, within = (named.get(f"muster-report{suffix}", "") for suffix in ("", "-token", "-within"))
    if not path or not token or not within.isdecimal():
        return None
    url = muster_url.rstrip("/") + path if muster_url and path.startswith("/") else path
    return Invitation(url, token, int(within))


def report(
    invitation: Invitation,
    outcome: str = "done",
    *,
    retries: int = 10,
    timeout_seconds: float = 30,
    sleep: Callable[[float], None] = time.sleep,
    **content: Any,
) -> str:
    """
    Reports `done`, or `failed` with a `reason`, and optionally `final`, `retryAfterSeconds` and `detail`. Safe to
    repeat. Returns `called`, `failed` or `unchanged`. Raises RefusedReport, or Unanswered.
    """
    body = json.dumps({"outcome": outcome, **content}).encode()
    headers = {"authorization": f"Bearer {invitation.token}", "content-type": "application/json"}
    answer = send_with_repeats(
        lambda: send_once("POST", invitation.url, headers, body, timeout_seconds),
        retries,
        # Muster may not have stored the end of the call yet.
        is_for_now=lambda answer: answer.status >= 500 or answer.fields().get("code") == "report-too-early",
        sleep=sleep,
    )
    if answer.status >= 300:
        raise RefusedReport(answer)
    return answer.fields().get("result", "unchanged")


def send_receipts(
    muster_url: str,
    secret: str,
    receipts: Sequence[dict[str, Any]],
    *,
    retries: int = 10,
    timeout_seconds: float = 30,
    sleep: Callable[[float], None] = time.sleep,
) -> list[dict[str, Any]]:
    """
    Sends receipts of an endpoint that answered 202, signed with the secret of its action type. A receipt counts once,
    so repeats are safe. Returns the problems of receipts that do not count, each with its `index` in the list.
    """
    problems: list[dict[str, Any]] = []
    for start in range(0, len(receipts), MAX_RECEIPTS):
        body = json.dumps({"receipts": list(receipts[start : start + MAX_RECEIPTS])}).encode()

        def send(body: bytes = body) -> Any:
            call_id, now = str(uuid.uuid4()), int(time.time())
            headers = {
                "content-type": "application/json",
                "webhook-id": call_id,
                "webhook-timestamp": str(now),
                "webhook-signature": sign(secret, call_id, now, body),
            }
            return send_once("POST", muster_url.rstrip("/") + "/v1/receipts", headers, body, timeout_seconds)

        answer = send_with_repeats(send, retries, sleep=sleep)
        if answer.status != 202:
            raise RefusedReport(answer)
        problems += [{**each, "index": each["index"] + start} for each in answer.fields().get("problems", [])]
    return problems
