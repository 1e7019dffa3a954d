"""A receiver of callbacks: signed calls only, each job done once, and reports for work that takes longer."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .contract import Reply
from .reports import Invitation, invitation_in
from .store import Store
from .verify import UnverifiedCall, verify

_log = logging.getLogger("muster_sdk")


@dataclass(frozen=True)
class Callback:
    """One call of a job. `report_to` is None unless Muster accepts a report for it."""

    id: str
    attempt: int
    body: bytes
    headers: Mapping[str, str]
    report_to: Invitation | None


class Later:
    """Result of work that has stored `report_to` and will report later. The answer is then 202."""


class CallbackReceiver:
    """
    Does the work of each job once, in the transaction of the store, and answers 204 when it is done. Work that raises
    is answered 500: Muster calls again by the rules of the endpoint.
    """

    max_body_bytes = 1024 * 1024

    def __init__(
        self,
        work: Callable[[Callback, Any], Later | None],
        secrets: Sequence[str],
        store: Store,
        *,
        muster_url: str | None = None,
    ) -> None:
        """secrets: secrets of the endpoint, each `whsec_…`; there are several during a rotation."""
        self._work = work
        self._secrets = secrets
        self._store = store
        self._muster_url = muster_url

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answers a request. Never raises."""
        named = {name.lower(): value for name, value in headers.items()}
        try:
            call_id = verify(named, body, self._secrets)
        except UnverifiedCall as unverified:
            return Reply(401, {"code": "unverified", "message": str(unverified)})
        attempt = named.get("muster-attempt", "")
        number = int(attempt) if attempt.isdecimal() else 1
        callback = Callback(call_id, number, body, named, invitation_in(named, self._muster_url))

        def work(transaction: Any) -> bool:
            is_later = isinstance(self._work(callback, transaction), Later)
            if is_later and callback.report_to is None:
                raise ValueError("Muster expects no report of this call: set reportWithinSeconds of the endpoint")
            return is_later

        try:
            return Reply(202 if self._store.receive_once(call_id, number, work) else 204)
        except Exception:
            _log.exception("the work of a callback failed")
            return Reply(500, {"code": "internal-error", "message": "the work failed"})
