"""Keeps in SQLite what exists now, from the queue and the bucket of a connector. See README.md."""

import argparse
import gzip
import io
import json
import os
import re
import sqlite3
import sys
import urllib.parse
import zlib

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

# Removed ids stay in `latest`, so that an older event that arrives late does not bring them back.
SCHEMA = """
create table if not exists latest (stream text, id text, sequence text, kind text, row text, primary key (stream, id));
create view if not exists now as select * from latest where kind not in ('tombstone', 'withdrawn');
"""
# A sequence has 20 digits. As text it compares right for ever, as a 64-bit integer until the year 2055.
APPLY = """
insert into latest values (?, ?, ?, ?, ?) on conflict do update
set sequence = excluded.sequence, kind = excluded.kind, row = excluded.row where excluded.sequence > latest.sequence
"""
STREAMS = {"assets", "threats", "dns-blocks"}
KINDS = {"upsert", "tombstone", "withdrawn", "dns_block", "oversize"}
EVENTS = "events/"
# The row is the last member, and every member before it is a plain value. Cut out as text it keeps its digits.
ROW = re.compile(r',\s*"row"\s*:\s*(.*\})\s*\}\s*$', re.DOTALL)


def lines_of(body):
    """Lines end at LF only: str.splitlines() would also split at U+2028, U+0085 and CR, which may be inside a line."""
    file = io.BytesIO(body)
    return gzip.GzipFile(fileobj=file) if body.startswith(b"\x1f\x8b") else file


def read_event(line):
    """The columns of an event. None if its format, stream or kind is unknown here. Raises if it is no event."""
    text = line.decode()
    # As numbers, Python refuses integers of more than 4,300 digits.
    event = json.loads(text, parse_int=str, parse_float=str)
    if "format" in event or event["stream"] not in STREAMS or event["kind"] not in KINDS:
        return None
    if not re.fullmatch("[0-9]{20}", event["sequence"]):
        raise ValueError
    # Half a surrogate pair has no UTF-8 form, and SQLite keeps text as UTF-8.
    thing = event["id"].encode(errors="backslashreplace").decode()
    row = ROW.search(text) if "row" in event else None
    return event["stream"], thing, event["sequence"], event["kind"], row and row[1]


def apply(db, key, body):
    """Applies the events of an object in one transaction. Returns whether every line was an event."""
    whole, unknown = True, 0
    with db:
        for number, line in enumerate(lines_of(body), 1):
            try:
                event = read_event(line)
                if event:
                    db.execute(APPLY, event)
                else:
                    unknown += 1
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                whole = report(f"{key}, line {number}: not an event")
    if unknown:
        report(f"{key}: {unknown} left out, of a format, stream or kind that this reader does not know")
    return whole


def report(text):
    print(text, file=sys.stderr, flush=True)
    return False


def objects_in(message):
    """Bucket and key of each new object. The test message of S3 has no records."""
    for record in json.loads(message["Body"]).get("Records", []):
        key = urllib.parse.unquote_plus(record["s3"]["object"]["key"])
        if record["eventName"].startswith("ObjectCreated:") and key.startswith(EVENTS):
            yield record["s3"]["bucket"]["name"], key


def process(db, s3, message):
    """Returns whether everything that the message names is in the database."""
    try:
        objects = list(objects_in(message))
    except (ValueError, TypeError, LookupError, AttributeError):
        return report(f"message {message['MessageId']}: no notification of S3")
    done = True
    for bucket, key in objects:
        try:
            body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            done = apply(db, key, body) and done
        except ClientError as error:
            done = report(f"{key}: {error.response['Error']['Code']}")
        except (BotoCoreError, EOFError, OSError, zlib.error) as error:
            done = report(f"{key}: {type(error).__name__}")
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queue-url", required=True, help="the output SiemQueueUrl")
    parser.add_argument("--database", required=True, help="file of the SQLite database, created if missing")
    parser.add_argument("--once", action="store_true", help="end when the queue is empty")
    options = parser.parse_args()
    named = re.match(r"https://sqs\.([a-z0-9-]+)\.", options.queue_url)
    session = boto3.Session(region_name=named[1] if named else os.environ.get("AWS_REGION"))
    # Local S3 endpoints have no host name for each bucket.
    style = "path" if "AWS_ENDPOINT_URL" in os.environ else "auto"
    sqs, s3 = session.client("sqs"), session.client("s3", config=Config(s3={"addressing_style": style}))
    db = sqlite3.connect(options.database)
    db.executescript(SCHEMA)
    left = set()
    while True:
        wait = 1 if options.once else 20
        received = sqs.receive_message(QueueUrl=options.queue_url, MaxNumberOfMessages=10, WaitTimeSeconds=wait)
        messages = received.get("Messages", [])
        if options.once and all(message["MessageId"] in left for message in messages):
            return
        for message in messages:
            if process(db, s3, message):
                sqs.delete_message(QueueUrl=options.queue_url, ReceiptHandle=message["ReceiptHandle"])
            elif options.once:
                left.add(message["MessageId"])


if __name__ == "__main__":
    main()
