"""Batch endpoints, receivers of callbacks and a client of jobs for Muster."""

from .contract import SUCCEEDED, Call, NotNow, Outcome, Refused, Reply, failed
from .endpoint import BatchEndpoint
from .http_client import Unanswered
from .jobs import Muster, MusterProblem, MusterUnavailable
from .memory_store import MemoryStore
from .postgres_store import PostgresStore
from .receiver import Callback, CallbackReceiver, Later
from .reports import Invitation, RefusedReport, report, send_receipts
from .serving import create_server, wsgi
from .verify import UnverifiedCall, sign, verify

__all__ = [
    "SUCCEEDED",
    "BatchEndpoint",
    "Call",
    "Callback",
    "CallbackReceiver",
    "Invitation",
    "Later",
    "MemoryStore",
    "Muster",
    "MusterProblem",
    "MusterUnavailable",
    "NotNow",
    "Outcome",
    "PostgresStore",
    "Refused",
    "RefusedReport",
    "Reply",
    "Unanswered",
    "UnverifiedCall",
    "create_server",
    "failed",
    "report",
    "send_receipts",
    "sign",
    "verify",
    "wsgi",
]
