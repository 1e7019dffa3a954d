"""A store for tests and development: its records are lost when its process ends."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from .contract import Call, Outcome
from .store import Store


class MemoryStore(Store):
    """Serves one call at a time."""

    transaction = None

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._results: dict[tuple[str, int, str], Outcome | None] = {}
        self._answers: dict[str, tuple[str, Mapping[str, Outcome]]] = {}
        #: Attempt whose report is awaited, or None once the work is done.
        self._received: dict[str, int | None] = {}

    @contextmanager
    def open(self, *, is_kept: bool = True) -> Iterator["MemoryStore"]:
        with self._lock:
            before = dict(self._results), dict(self._answers), dict(self._received)
            is_done = False
            try:
                yield self
                is_done = is_kept
            finally:
                if not is_done:
                    self._results, self._answers, self._received = before

    def claim(self, call: Call, outcome: Outcome | None) -> list[str]:
        fresh = [user for user in call.users if (call.run, call.step, user) not in self._results]
        self._results |= {(call.run, call.step, user): outcome for user in fresh}
        return fresh

    def read(self, run: str, step: int, users: Sequence[str]) -> dict[str, Outcome]:
        found = ((user, self._results.get((run, step, user))) for user in users)
        return {user: outcome for user, outcome in found if outcome is not None}

    def record(self, call: Call, outcomes: Mapping[str, Outcome | None]) -> None:
        for user, outcome in outcomes.items():
            self._results[(call.run, call.step, user)] = outcome
            if outcome is None:
                del self._results[(call.run, call.step, user)]

    def claim_key(self, call: Call) -> tuple[str, Mapping[str, Outcome]] | None:
        return self._answers.get(call.key)

    def answer(self, call: Call, outcomes: Mapping[str, Outcome]) -> None:
        self._answers[call.key] = (call.digest, outcomes)

    def claim_callback(self, call_id: str) -> int | None:
        return self._received.get(call_id, 0)

    def await_report(self, call_id: str, attempt: int | None) -> None:
        self._received[call_id] = attempt
