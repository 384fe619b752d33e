"""
Runs a reader and kills it at a step: before or after a call to AWS, the reading of an object, an SQL statement or a commit.
Without KILL_AT it runs to the end and prints the names of its steps.
"""

import functools
import json
import os
import runpy
import signal
import sqlite3
import sys

import botocore.client
import botocore.response

kill_at = int(os.environ.get("KILL_AT", "0"))
steps = []


def step(name):
    steps.append(name)
    if len(steps) == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def in_steps(call, name_of):
    @functools.wraps(call)
    def stepped(self, *args, **kwargs):
        name = name_of(*args)
        step(f"before {name}")
        result = call(self, *args, **kwargs)
        step(f"after {name}")
        return result

    return stepped


class Connection(sqlite3.Connection):
    execute = in_steps(sqlite3.Connection.execute, lambda *_: "execute")
    executescript = in_steps(sqlite3.Connection.executescript, lambda *_: "executescript")
    # The end of a `with` block commits.
    __exit__ = in_steps(sqlite3.Connection.__exit__, lambda *_: "commit")


botocore.client.BaseClient._make_api_call = in_steps(
    botocore.client.BaseClient._make_api_call, lambda operation, *_: operation
)
botocore.response.StreamingBody.read = in_steps(botocore.response.StreamingBody.read, lambda *_: "read")
sqlite3.connect = functools.partial(sqlite3.connect, factory=Connection)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
print(json.dumps(steps))
