"""Calls of batch endpoints and their answers, as the contract of Muster defines them (docs/contracts.md)."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_USER_ID_BYTES = 256
MAX_MESSAGE = 500
MAX_SHOWN_VALUE = 100


@dataclass(frozen=True)
class Outcome:
    """Outcome of one user: `succeeded` or `failed`; in class C also `in-progress` or `not-found`."""

    status: str
    code: str | None = None
    message: str | None = None
    retryable: bool = False

    def to_json(self) -> dict[str, Any]:
        if self.status != "failed":
            return {"status": self.status}
        message = {} if self.message is None else {"message": self.message}
        return {"status": "failed", "code": self.code, **message, "retryable": self.retryable}


SUCCEEDED = Outcome("succeeded")
IN_PROGRESS = Outcome("in-progress")
NOT_FOUND = Outcome("not-found")


def failed(code: str, message: str | None = None, *, retryable: bool = False) -> Outcome:
    """Returns a failure. `retryable` also asserts that nothing was applied. Raises ValueError for an invalid code."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", code):
        raise ValueError(f"code {code!r} has to be 1 to 64 of A-Z a-z 0-9 . _ -")
    return Outcome("failed", code, None if message is None else message[:MAX_MESSAGE], retryable)


@dataclass(frozen=True)
class Reply:
    """Answer to a request. A body of None is sent without content."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Refused(Exception):
    """
    Refuses a whole call, of which nothing may have been applied. 400 and 422 refuse users or parameters: Muster tries
    smaller batches. 401, 403, 404 and 501 hold the step until a person has changed something.
    """

    def __init__(self, code: str, message: str, *, status: int = 422, field: str | None = None, value: Any = None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field
        self.value = value

    def reply(self) -> Reply:
        place = {} if self.field is None else {"field": self.field}
        value_field = {} if self.value is None else {"value": _quoted_value(self.value)}
        return Reply(self.status, {"code": self.code, "message": str(self), **place, **value_field})


class NotNow(Refused):
    """Postpones a whole call, of which nothing may have been applied: Muster sends it again after `seconds`."""

    def __init__(self, seconds: int, message: str = "not now"):
        super().__init__("not-now", message, status=503)
        self.seconds = seconds

    def reply(self) -> Reply:
        return Reply(503, super().reply().body, {"Retry-After": str(self.seconds)})


@dataclass(frozen=True)
class Call:
    """A call of Muster. `digest` identifies the bytes of its body."""

    campaign: str
    run: str
    step: int
    country: str
    batch: int
    action_type: str
    params: dict[str, Any]
    users: tuple[str, ...]
    key: str
    attempt: int
    #: True in a test send: check everything and answer as if live, but without any effect.
    is_test: bool
    digest: str


def read_call(headers: Mapping[str, str], body: bytes, max_users: int) -> Call:
    """Reads a call from headers with names in lower case. Raises Refused for the first violation of the contract."""
    key, attempt, mode = (headers.get(name) for name in ("idempotency-key", "muster-attempt", "muster-mode"))
    _require(_matches(r"[\x21-\x7e]{1,100}", key), "Idempotency-Key", key, "has to be 1 to 100 visible ASCII characters")
    _require(_matches(r"[1-9][0-9]{0,8}", attempt), "Muster-Attempt", attempt, "has to be an integer from 1")
    _require(mode in ("live", "test"), "Muster-Mode", mode, "has to be live or test")
    parsed = read_object(body)
    action = parsed.get("action")
    _require(isinstance(action, dict), "/action", action, "has to be an object")
    params = action.get("params")
    _require(isinstance(params, dict), "/action/params", params, "has to be an object")
    country = parsed.get("country")
    _require(_matches(r"[A-Z]{2}", country), "/country", country, "has to be two capital letters")
    return Call(
        campaign=_text(parsed, "campaign"),
        run=_text(parsed, "run"),
        step=_count(parsed, "step"),
        country=country,
        batch=_count(parsed, "batch"),
        action_type=_text(action, "type", "/action/type"),
        params=params,
        users=read_users(parsed, max_users),
        key=key,
        attempt=int(attempt),
        is_test=mode == "test",
        digest=hashlib.sha256(body).hexdigest(),
    )


def read_question(body: bytes, max_users: int) -> tuple[str, int, tuple[str, ...]]:
    """Reads a question for the status of users: run, step and users. Raises Refused."""
    parsed = read_object(body)
    return _text(parsed, "run"), _count(parsed, "step"), read_users(parsed, max_users)


def read_object(body: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused("malformed-json", "the body is no JSON in UTF-8", status=400) from None
    _require(isinstance(parsed, dict), "/", parsed, "has to be an object")
    return parsed


def read_users(parsed: dict[str, Any], max_users: int) -> tuple[str, ...]:
    users = parsed.get("users")
    _require(isinstance(users, list) and len(users) > 0, "/users", users, "has to be a list of one user or more")
    if len(users) > max_users:
        raise Refused("too-many-users", f"at most {max_users} users a call", status=413, field="/users", value=len(users))
    seen: set[str] = set()
    for place, user in enumerate(users):
        _require(_is_user_id(user), f"/users/{place}", user, "is no valid user id")
        _require(user not in seen, f"/users/{place}", user, "is in the list twice")
        seen.add(user)
    return tuple(users)


def _is_user_id(user: Any) -> bool:
    if not isinstance(user, str) or re.search(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", user):
        return False
    return 1 <= len(user.encode()) <= MAX_USER_ID_BYTES


def _text(parsed: dict[str, Any], name: str, place: str | None = None) -> str:
    value = parsed.get(name)
    _require(isinstance(value, str) and value != "", place or f"/{name}", value, "has to be a text")
    return value


def _count(parsed: dict[str, Any], name: str) -> int:
    value = parsed.get(name)
    # A boolean is an integer in Python.
    _require(type(value) is int and 1 <= value < 2**31, f"/{name}", value, "has to be an integer from 1")
    return value


def _matches(pattern: str, value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _require(holds: bool, place: str, value: Any, rule: str) -> None:
    if not holds:
        raise Refused("invalid-request", f"{place} {rule}", field=place, value=value)


def _quoted_value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate cannot be sent as UTF-8.
    return text[:MAX_SHOWN_VALUE].encode("utf-8", "replace").decode()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
