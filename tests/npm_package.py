"""Small npm packages as judges of what baton writes: from npm, once, into the tests' cache."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path

from e2e import fetch

PACKAGES = {
    "canonicalize@2.1.0": "sha512-"
    "F705O3xrsUtgt98j7leetNhTWPe+5S72rlL5O4jA1pKqBVQ/dT1O1D6PFxmSXvc0SUOinWS57DKx0I3CHrXJHQ==",
    "yaml@2.9.1": "sha512-"
    "3NxN8+78OdzbT7C/WjGsyfPAtJaN3FNDsWxv7Y7mcDsT/oOmgW8BpyQQFFBnvZE3j9Y2Sdz1ULFLezL7Eb2yFw==",
}
"""What is fetched, and npm's `dist.integrity` of it. Neither depends on another package."""


def folder(package: str) -> Path:
    """The unpacked package, fetched first when it is not in the cache. Raises CannotFetch."""
    environment = fetch.at_start()
    home = fetch.cache_of(environment) / package.replace("@", "-")
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=home.parent) as work:
            tarball = fetch.pack(package, PACKAGES[package], Path(work), environment)
            with tarfile.open(tarball) as archive:
                archive.extractall(Path(work) / "unpacked", filter="data")
            fetch.move(Path(work) / "unpacked" / "package", home)
    return home


def run(program: str, package: Path, inputs: list[object]) -> list[object]:
    """Run a JavaScript expression `program` over each input, as `input`; the package is `it`."""
    script = (
        f"const it = require({json.dumps(str(package))});"
        'const inputs = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        f"process.stdout.write(JSON.stringify(inputs.map((input) => {program})));"
    )
    done = subprocess.run(
        ["node", "-e", script],
        input=json.dumps(inputs),
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answers: list[object] = json.loads(done.stdout)
    return answers
