"""Servers for endpoints and receivers: one of the standard library, and a WSGI application for others."""

import json
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from .contract import Reply


class Handler(Protocol):
    """A BatchEndpoint or a CallbackReceiver."""

    max_body_bytes: int

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply: ...


def content_of(reply: Reply) -> bytes:
    return b"" if reply.body is None else json.dumps(reply.body, ensure_ascii=False).encode()


def create_server(handler: Handler, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """Returns a server that listens; `serve_forever()` answers requests, each connection in a thread of its own."""

    class Request(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Idle connections stay open for longer than Muster keeps them.
        timeout = 75
        # Sends an answer in one piece. Otherwise its body would wait for the acknowledgement of its headers.
        wbufsize = -1

        def answer(self) -> None:
            length = self.headers.get("content-length", "0" if self.command in ("GET", "HEAD") else "")
            if not length.isdecimal():
                self.send(Reply(411, {"code": "length-required", "message": "Content-Length is missing"}), is_last=True)
            elif int(length) > handler.max_body_bytes:
                refusal = {"code": "body-too-large", "message": f"at most {handler.max_body_bytes} bytes"}
                self.send(Reply(413, refusal), is_last=True)
            else:
                body = self.rfile.read(int(length))
                # If a body ends early, the connection of the request was lost.
                if len(body) == int(length):
                    self.send(handler.handle(self.command, self.path, dict(self.headers.items()), body))
                else:
                    self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

        def send(self, reply: Reply, *, is_last: bool = False) -> None:
            content = content_of(reply)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if content:
                self.send_header("Content-Type", "application/json")
            if reply.status != 204:
                self.send_header("Content-Length", str(len(content)))
            if is_last:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Writes no line for each request."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    return Server((host, port), Request)


def wsgi(handler: Handler) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """Returns a WSGI application, for a server such as gunicorn, or to mount in Flask or Django."""

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        headers = {name[5:].replace("_", "-"): text for name, text in environ.items() if name.startswith("HTTP_")}
        headers["content-type"] = environ.get("CONTENT_TYPE", "")
        if length.isdecimal() and int(length) <= handler.max_body_bytes:
            body = environ["wsgi.input"].read(int(length))
            reply = handler.handle(environ["REQUEST_METHOD"], environ.get("PATH_INFO", "/"), headers, body)
        else:
            reply = Reply(413, {"code": "body-too-large", "message": f"at most {handler.max_body_bytes} bytes"})
        content = content_of(reply)
        sent = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))] if content else []
        start_response(f"{reply.status} Answer", [*reply.headers.items(), *sent])
        return [content]

    return application
