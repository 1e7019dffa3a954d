"""Records that an endpoint or a receiver keeps, so that a repeat has no second effect."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from .contract import IN_PROGRESS, Call, Outcome, Refused

#: Serves users; the second argument is the store's transaction, or None without one.
Give = Callable[[Sequence[str], Any], Mapping[str, Outcome]]
#: Does the work of a callback within the store's transaction. Returns True if a report follows.
Work = Callable[[Any], bool]


class KeyReused(Exception):
    """Error of a call with other bytes under the key of an earlier call."""


class Records(Protocol):
    """The records of a store within one transaction. A concurrent claim of a record waits for the transaction."""

    #: Transaction that actions and work receive.
    transaction: Any

    def claim(self, call: Call, outcome: Outcome | None) -> list[str]:
        """Adds records of users who have none, with this outcome. Returns these users in the order of the call."""

    def read(self, run: str, step: int, users: Sequence[str]) -> dict[str, Outcome]:
        """Returns the outcomes of users who have one."""

    def record(self, call: Call, outcomes: Mapping[str, Outcome | None]) -> None:
        """Changes records of users. Removes those without an outcome."""

    def claim_key(self, call: Call) -> tuple[str, Mapping[str, Outcome]] | None:
        """Adds a record of the call's key. Returns digest and answer if there was one."""

    def answer(self, call: Call, outcomes: Mapping[str, Outcome]) -> None: ...

    def claim_callback(self, call_id: str) -> int | None:
        """Adds a record of a callback. Returns 0 if it is new, else the attempt whose report is awaited, if any."""

    def await_report(self, call_id: str, attempt: int | None) -> None: ...


class Store:
    """Base class of stores. If a method raises, its transaction is rolled back."""

    def open(self, *, is_kept: bool = True) -> AbstractContextManager[Records]:
        """Opens a transaction. At its end it is committed if `is_kept`, and otherwise rolled back."""
        raise NotImplementedError

    def give_once_per_user(self, call: Call, give: Give) -> Mapping[str, Outcome]:
        """Class A: serves users without a final outcome, and returns the first final outcome of each user."""
        with self.open(is_kept=not call.is_test) as records:
            return _give_and_read(records, call, records.claim(call, None), give)

    def give_once_per_key(self, call: Call, give: Give) -> Mapping[str, Outcome]:
        """Class B: serves a call with a new key, or returns the first answer to the key. Raises KeyReused."""
        with self.open(is_kept=not call.is_test) as records:
            first = records.claim_key(call)
            if first is None:
                given = give(call.users, records.transaction)
                records.answer(call, given)
                return given
            digest, answer = first
            if digest != call.digest:
                raise KeyReused
            return answer

    def give_and_record(self, call: Call, give: Give) -> Mapping[str, Outcome]:
        """Class C: records users as in progress, serves them, then records outcomes. Omits users of another call."""
        if call.is_test:
            return self.give(call, give)
        # This record is committed before users are served: after a crash they are "in-progress", not "not-found".
        with self.open() as records:
            fresh = records.claim(call, IN_PROGRESS)
        try:
            with self.open() as records:
                known = _give_and_read(records, call, fresh, give)
        except Refused:
            with self.open() as records:
                records.record(call, dict.fromkeys(fresh))
            raise
        return {user: outcome for user, outcome in known.items() if outcome != IN_PROGRESS}

    def give(self, call: Call, give: Give) -> Mapping[str, Outcome]:
        """Class D: serves users in a transaction, and records nothing."""
        with self.open(is_kept=not call.is_test) as records:
            return give(call.users, records.transaction)

    def outcomes(self, run: str, step: int, users: Sequence[str]) -> Mapping[str, Outcome]:
        """Class C: returns recorded outcomes, without users who were never served."""
        with self.open() as records:
            return records.read(run, step, users)

    def receive_once(self, call_id: str, attempt: int, work: Work) -> bool:
        """Does the work of a callback unless it is done or accepted. Returns True if a report follows."""
        with self.open() as records:
            awaited = records.claim_callback(call_id)
            if awaited is None or awaited >= attempt:
                return awaited is not None
            is_later = work(records.transaction)
            records.await_report(call_id, attempt if is_later else None)
            return is_later


def _give_and_read(records: Records, call: Call, fresh: Sequence[str], give: Give) -> dict[str, Outcome]:
    given = give(fresh, records.transaction) if fresh else {}
    records.record(call, {user: outcome if _is_final(outcome) else None for user, outcome in given.items()})
    return {**records.read(call.run, call.step, call.users), **given}


def _is_final(outcome: Outcome) -> bool:
    return outcome.status == "succeeded" or (outcome.status == "failed" and not outcome.retryable)
