"""A double of the service for the tests of a module, which fail if a client was impolite.

The environment variable SKINSMITH names the program; "npx skinsmith" unless set.
"""

import json
import os
import shlex
import subprocess
import urllib.request

import pytest


@pytest.fixture(scope="module")
def double():
    """The address and the API key: double["url"], double["key"]."""
    program = shlex.split(os.environ.get("SKINSMITH", "npx skinsmith"))
    # With --parent-stdin it also ends when this process is killed.
    command = [*program, "serve", "--double", "--polite", "--parent-stdin", "--scenario", "calm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        double = json.loads(process.stdout.readline())
        yield double
        stop = urllib.request.Request(
            double["url"] + "/_double/stop", b"{}", {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(stop) as answer:
            violations = json.load(answer)["violations"]
    assert not violations, f"A client did not meet the double's expectations: {violations}"
