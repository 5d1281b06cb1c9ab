"""The HTTP side of the model server: sockets in, requests out, replies back."""

from __future__ import annotations

import json
import select
import socket
import struct
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from . import wire
from .received import Request
from .replies import LONGEST, Delay, Drop, Error, Hang, Reply

BIGGEST_BODY = 64 * 1024 * 1024
Take = Callable[[Request, Callable[[], bool]], Reply]


class Door:
    """A threaded server on a free port of 127.0.0.1; `take(request, gone)` says what to answer.

    gone() tells whether whoever asked has hung up since: a killed program has, at once.
    """

    def __init__(self, take: Take, faults: list[str]) -> None:
        self.take = take
        self.faults = faults
        self.closing = threading.Event()
        self.numbers = count(1)
        self._server = _Server(self)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Wake every waiting answer, stop listening, wait for the threads. Idempotent."""
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, door: Door) -> None:
        self.door = door
        super().__init__(("127.0.0.1", 0), _Handler)

    def shutdown_request(self, request: Any) -> None:
        """Close at once: the stock method sends FIN first, and no reset could follow."""
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no fault; anything else is the harness's own and is kept."""
        text = traceback.format_exc()
        if not any(
            name in text for name in ("BrokenPipeError", "ConnectionResetError", "TimeoutError")
        ):
            self.door.faults.append(text)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: requests are recorded, not printed."""

    def do_HEAD(self) -> None:
        self._send(200, b"", {})

    def do_GET(self) -> None:
        self.server.door.take(self._request({}), self._gone)
        self._json(404, wire.error("not_found_error", "not served here"))

    def do_POST(self) -> None:
        request = self._request(self._body())
        reply = self._ask(request)
        if "count_tokens" in request.path:
            self._json(200, {"input_tokens": 10})
        elif request.path.split("?")[0].endswith("/v1/messages"):
            self._answer(request, reply)
        else:
            self._json(200, {})

    def _ask(self, request: Request) -> Reply:
        try:
            return self.server.door.take(request, self._gone)
        except Exception:
            self.server.door.faults.append(traceback.format_exc())
            return Error(500, "api_error", "the test's script failed", {"x-should-retry": "false"})

    def _gone(self) -> bool:
        try:
            readable = select.select([self.connection], [], [], 0)[0]
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def _body(self) -> Mapping[str, Any]:
        length = int(self.headers.get("content-length") or 0)
        if length > BIGGEST_BODY:
            raise ValueError(f"a body of {length} bytes")
        found = json.loads(self.rfile.read(length) or b"{}")
        return found if isinstance(found, dict) else {}

    def _request(self, body: Mapping[str, Any]) -> Request:
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(
            next(self.server.door.numbers), self.command, self.path, headers, body, time.time()
        )

    def _answer(self, request: Request, reply: Reply) -> None:
        streamed = bool(request.body.get("stream"))
        model = str(request.body.get("model", ""))
        if isinstance(reply, Delay):
            self._wait(reply.seconds)
            self._answer(request, reply.reply)
        elif isinstance(reply, Error):
            self._json(reply.status, wire.error(reply.type, reply.message), reply.headers)
        elif isinstance(reply, Drop | Hang):
            self._break_off(reply, streamed, model)
        elif streamed:
            self._send(200, wire.stream(reply, model), {"content-type": "text/event-stream"})
        else:
            self._json(200, wire.message(reply, model))

    def _break_off(self, reply: Drop | Hang, streamed: bool, model: str) -> None:
        if streamed and reply.text:
            self._start_stream(wire.opening(reply.text, model))
        self._wait(reply.seconds if isinstance(reply, Hang) else 0.1)
        self._reset()

    def _start_stream(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def _reset(self) -> None:
        # Lingering for zero seconds makes close() send RST instead of FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _wait(self, seconds: float) -> None:
        self.server.door.closing.wait(min(seconds, LONGEST))

    def _json(
        self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        self._send(
            status,
            json.dumps(body).encode(),
            {"content-type": "application/json", **(headers or {})},
        )

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            **headers,
            "content-length": str(len(body)),
            "connection": "close",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
