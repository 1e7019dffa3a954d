"""Signatures of calls by Standard Webhooks 1.0 (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping


class UnverifiedCall(Exception):
    """Error of a call without a valid signature."""


def sign(secret: str, call_id: str, timestamp: int, body: bytes) -> str:
    """Returns the value of `webhook-signature` under a secret `whsec_…`."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    content = f"{call_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()


def verify(
    headers: Mapping[str, str],
    body: bytes,
    secrets: Iterable[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> str:
    """
    Verifies that one of the secrets has signed a call. The body must be unchanged, byte by byte.

    Returns the id of the call, which is the same for all repeats. Raises UnverifiedCall with the reason.
    """
    named = {name.lower(): value for name, value in headers.items()}
    call_id, timestamp, signatures = (named.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not call_id or not timestamp or not signatures:
        raise UnverifiedCall("a webhook-… header is missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise UnverifiedCall("webhook-timestamp is no number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise UnverifiedCall("its time is too far from now")
    offered = [each.encode() for each in signatures.split(" ")]
    expected = [sign(secret, call_id, int(timestamp), body).encode() for secret in secrets]
    # All pairs are compared, in constant time, so that the duration reveals nothing about the secrets.
    matches = [hmac.compare_digest(one, other) for one in expected for other in offered]
    if not any(matches):
        raise UnverifiedCall("no signature is of this body under one of these secrets")
    return call_id
