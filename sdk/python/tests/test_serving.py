import http.client
import io
import json
import threading
import unittest
from wsgiref.validate import validator

from muster_sdk import SUCCEEDED, BatchEndpoint, create_server, wsgi

from .vectors import VECTORS


def serve_all(_call, users, _transaction):
    return dict.fromkeys(users, SUCCEEDED)


BODY = json.dumps(VECTORS["call"]["body"]).encode()
HEADERS = VECTORS["call"]["headers"]


class Serving(unittest.TestCase):
    def test_answers_several_requests_of_a_connection(self):
        server = create_server(BatchEndpoint(serve_all, "D", max_body_bytes=1000))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        for body, status in ((BODY, 200), (BODY, 200), (b"x" * 1001, 413)):
            connection.request("POST", "/", body, HEADERS)
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()[:1]), (status, b"{"))
        server.shutdown()
        server.server_close()

    def test_answers_as_an_application_of_wsgi(self):
        environ = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in HEADERS.items()}
        del environ["HTTP_CONTENT_TYPE"]
        environ |= {
            "REQUEST_METHOD": "POST",
            "SCRIPT_NAME": "",
            "PATH_INFO": "/v1/batches",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(BODY)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(BODY),
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        started = []
        application = validator(wsgi(BatchEndpoint(serve_all, "D")))
        answer = application(environ, lambda status, headers: started.append(status))
        self.assertEqual(len(json.loads(b"".join(answer))["results"]), 3)
        answer.close()
        self.assertEqual(started, ["200 Answer"])


if __name__ == "__main__":
    unittest.main()
