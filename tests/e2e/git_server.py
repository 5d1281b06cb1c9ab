"""A git server on loopback: git's own http-backend behind Python's HTTP server."""

from __future__ import annotations

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


class GitServer:
    """Serves the bare repositories in a folder, for reading, while inside `with`."""

    def __init__(self, folder: Path) -> None:
        handler = type("Handler", (_Handler,), {"folder": str(folder)})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> GitServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


class _Handler(BaseHTTPRequestHandler):
    folder = ""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest shows what fails."""

    def do_GET(self) -> None:
        """Fetch what a clone begins with."""
        self._backend(b"")

    def do_POST(self) -> None:
        """Fetch objects."""
        self._backend(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _backend(self, body: bytes) -> None:
        address = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.folder,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PROJECT_ROOT": self.folder,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": address.path,
            "QUERY_STRING": address.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = subprocess.run(
            ["git", "http-backend"], env=environment, input=body, capture_output=True, timeout=300
        )
        self._answer(done.stdout)

    def _answer(self, output: bytes) -> None:
        head, _, body = output.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
