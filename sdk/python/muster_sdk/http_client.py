"""Requests to Muster that may be repeated, because a repeat has no second effect."""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

USUAL_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0

#: Statuses after which a repeat may succeed. After 502 or 504, Muster may have processed the request.
_FOR_NOW = (429, 502, 503, 504)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    def fields(self) -> dict[str, Any]:
        """Returns the object in the body; empty if the body is no JSON object."""
        try:
            parsed = json.loads(self.body)
        except ValueError:
            return {}
        return parsed if isinstance(parsed, dict) else {}


class Unanswered(Exception):
    """A request without an answer."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, because a redirect would send the key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send_once(method: str, url: str, headers: Mapping[str, str], body: bytes | None, timeout_seconds: float) -> Answer:
    """Sends a request. Raises Unanswered."""
    request = urllib.request.Request(url, data=body, method=method, headers=dict(headers))
    try:
        try:
            response = _opener.open(request, timeout=timeout_seconds)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            named = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, named, response.read())
    except (OSError, http.client.HTTPException) as error:
        raise Unanswered(f"no answer from {url}: {getattr(error, 'reason', error)}") from error


def send_with_repeats(
    send: Callable[[], Answer],
    retries: int,
    *,
    is_for_now: Callable[[Answer], bool] = lambda _: False,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """
    Sends a request whose repeats have no second effect. Repeats it if it was refused temporarily, or its answer was
    lost. Returns the last answer. Raises Unanswered if there was none.
    """
    while True:
        wait = USUAL_WAIT_SECONDS
        try:
            answer = send()
            if retries <= 0 or not (answer.status in _FOR_NOW or is_for_now(answer)):
                return answer
            wait = wait_seconds(answer)
        except Unanswered:
            if retries <= 0:
                raise
        retries -= 1
        sleep(wait)


def wait_seconds(answer: Answer) -> float:
    try:
        return max(0.0, min(LONGEST_WAIT_SECONDS, float(answer.headers.get("retry-after", ""))))
    except ValueError:
        return USUAL_WAIT_SECONDS
