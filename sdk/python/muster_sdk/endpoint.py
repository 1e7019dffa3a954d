"""A batch endpoint: runs a function that serves users, and fulfils the rest of the contract of Muster."""

import hmac
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from .contract import NOT_FOUND, Call, NotNow, Outcome, Refused, Reply, read_call, read_question
from .store import Give, KeyReused, Store
from .verify import UnverifiedCall, verify

#: Serves users, and returns an outcome for each. The third argument is the store's transaction, or None.
Action = Callable[[Call, Sequence[str], Any], Mapping[str, Outcome]]

_log = logging.getLogger("muster_sdk")


class BatchEndpoint:
    """
    Answers calls of a batch endpoint, and in class C also questions at paths that end with `/status`.

    The action raises Refused or NotNow only if nothing was applied. Any other error is answered 500: the call may
    have been applied, and Muster sends it again as far as the class allows.
    """

    def __init__(
        self,
        action: Action,
        contract_class: Literal["A", "B", "C", "D"],
        store: Store | None = None,
        *,
        authorization: str | None = None,
        signing_secrets: Sequence[str] = (),
        answer_form: Literal["full", "compact"] = "full",
        is_accepting: bool = False,
        max_users: int = 1000,
        max_body_bytes: int = 4 * 1024 * 1024,
    ) -> None:
        """
        authorization: the whole header that calls must have.
        signing_secrets: secrets of which one must have signed each call; there are two during a rotation.
        is_accepting: True if success means that receipts follow: the answer is 202.
        """
        if store is None and contract_class != "D":
            raise ValueError(f"class {contract_class} needs a store")
        self.max_body_bytes = max_body_bytes
        self._action = action
        self._class = contract_class
        self._store = store
        self._authorization = authorization
        self._signing_secrets = signing_secrets
        self._answer_form = answer_form
        self._status = 202 if is_accepting else 200
        self._max_users = max_users

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """Answers a request. Never raises."""
        named = {name.lower(): value for name, value in headers.items()}
        try:
            if method != "POST":
                return Reply(405, {"code": "method-not-allowed", "message": "only POST"}, {"Allow": "POST"})
            is_question = self._class == "C" and path.split("?")[0].endswith("/status")
            self._authorize(named, body, is_question)
            if named.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                raise Refused("unsupported-media-type", "Content-Type has to be application/json", status=415)
            if len(body) > self.max_body_bytes:
                raise Refused("body-too-large", f"at most {self.max_body_bytes} bytes", status=413)
            return self._answer(body) if is_question else self._serve(read_call(named, body, self._max_users))
        except Refused as refused:
            return refused.reply()
        except Exception:
            _log.exception("a request failed")
            return Reply(500, {"code": "internal-error", "message": "the call may have been applied"})

    def _authorize(self, headers: Mapping[str, str], body: bytes, is_question: bool) -> None:
        given = headers.get("authorization", "")
        if self._authorization is not None and not hmac.compare_digest(given.encode(), self._authorization.encode()):
            raise Refused("unauthorized", "the Authorization header is missing or wrong", status=401)
        if not self._signing_secrets:
            return
        try:
            call_id = verify(headers, body, self._signing_secrets)
        except UnverifiedCall as unverified:
            raise Refused("unverified", str(unverified), status=401) from None
        # The signature covers the id. Otherwise a signed body under another key would be a second call.
        if not is_question and call_id != headers.get("idempotency-key"):
            raise Refused("unverified", "webhook-id has to be the Idempotency-Key", status=401)

    def _serve(self, call: Call) -> Reply:
        has_begun = False

        def give(users: Sequence[str], transaction: Any) -> Mapping[str, Outcome]:
            nonlocal has_begun
            has_begun = True
            given = self._action(call, users, transaction)
            if set(given) != set(users):
                raise ValueError("the action has to return one outcome for each user of its list")
            return given

        try:
            outcomes = self._outcomes_of(call, give)
        except KeyReused:
            refusal = "other bytes came under this key"
            raise Refused("key-reused", refusal, field="Idempotency-Key", value=call.key) from None
        except Refused:
            raise
        except Exception:
            if has_begun:
                raise
            _log.exception("the store is not available")
            raise NotNow(1, "the store is not available") from None
        return Reply(self._status, self._content({user: outcomes[user] for user in call.users if user in outcomes}))

    def _outcomes_of(self, call: Call, give: Give) -> Mapping[str, Outcome]:
        store = self._store
        if store is None:
            return give(call.users, None)
        by_class = {
            "A": store.give_once_per_user,
            "B": store.give_once_per_key,
            "C": store.give_and_record,
            "D": store.give,
        }
        return by_class[self._class](call, give)

    def _content(self, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
        listed = [{"id": user, **outcome.to_json()} for user, outcome in outcomes.items()]
        if self._answer_form == "full":
            return {"results": listed}
        failures = [each for each in listed if each.pop("status") == "failed"]
        return {"succeeded": len(listed) - len(failures), "failed": failures}

    def _answer(self, body: bytes) -> Reply:
        run, step, users = read_question(body, self._max_users)
        assert self._store is not None
        known = self._store.outcomes(run, step, users)
        return Reply(200, {"results": [{"id": user, **known.get(user, NOT_FOUND).to_json()} for user in users]})
