"""The test vectors that the kits of all languages share, and a server that plays Muster."""

import json
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

VECTORS = json.loads((Path(__file__).parents[2] / "kits" / "vectors.json").read_text("utf-8"))


class PlayedMuster:
    """Returns the given answers one after another, and records requests. `lost` closes the connection instead."""

    def __init__(self, answers):
        self.requests = []
        self._answers = list(answers)
        played = self

        class Request(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                played.requests.append((self.command, self.path, self.headers, json.loads(body) if body else None))
                answer = played._answers.pop(0)
                if answer == "lost":
                    self.close_connection = True
                    return
                content = answer.get("text", json.dumps(answer.get("body", {}))).encode()
                self.send_response(answer["status"])
                for name, value in answer.get("headers", {}).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer  # noqa: N815

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Request)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def normalized(path):
    parts = urlsplit(path)
    return parts.path, sorted(parse_qsl(parts.query))


@contextmanager
def silence():
    """Keeps the expected errors of vectors out of the output."""
    log = logging.getLogger("muster_sdk")
    log.disabled = True
    try:
        yield
    finally:
        log.disabled = False
