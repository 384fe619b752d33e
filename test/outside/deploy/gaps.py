"""Starts ministack with what it lacks of CloudFormation, Firehose and CloudWatch, added from outside: no file of it is changed.

Each addition follows AWS's documents. These differences remain: IAM is not enforced for Firehose, Scheduler and log delivery. Firehose delivers to S3
one object per record, at once, and nothing to Splunk and HTTP. Alarms and GetMetricData ignore dimensions and missing data. StartMessageMoveTask is
missing, and so is the reverting of drift. VPC, KMS and saved queries of logs are stored without an effect.
"""

import gzip
import json
import os
import re

# The emulator keeps the code of functions in the folder in which it is started.
os.environ["TMPDIR"] = os.getcwd()

import ministack.services.cloudformation.provisioners as provisioners
import ministack.services.cloudwatch as cloudwatch
import ministack.services.cloudwatch_logs as logs
import ministack.services.firehose as firehose
import ministack.services.lambda_svc as functions
import ministack.services.sns as sns
from ministack import app

HANDLERS = provisioners._RESOURCE_HANDLERS


# AWS::CloudWatch::CompositeAlarm, over PutCompositeAlarm, which refuses a rule that names a missing alarm.

def put_composite(name, props):
    status, _, body = cloudwatch._put_composite_alarm({}, {**props, "AlarmName": name}, False, True)
    if status >= 400:
        raise ValueError(body)
    return name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]}


HANDLERS["AWS::CloudWatch::CompositeAlarm"] = {
    "create": lambda logical_id, props, stack_name: put_composite(props["AlarmName"], props),
    "update": lambda name, old_props, props, stack_name: put_composite(name, props),
    "delete": lambda name, props: cloudwatch._composite_alarms.pop(name, None),
}


# AWS::CloudWatch::Alarm with metric math: kept as the first metric that the expression is over.

metric_alarm = provisioners._cw_metric_alarm_record


def record_alarm(name, props):
    measured = [each["MetricStat"] for each in props.get("Metrics", []) if "MetricStat" in each]
    if not measured:
        return metric_alarm(name, props)
    first = measured[0]
    rest = {key: value for key, value in props.items() if key != "Metrics"}
    return metric_alarm(name, {**rest, **first["Metric"], "Period": first["Period"], "Statistic": first["Stat"]})


provisioners._cw_metric_alarm_record = record_alarm


# AWS::Logs::QueryDefinition: stored as a name, because nothing here runs saved queries.

HANDLERS["AWS::Logs::QueryDefinition"] = {
    "create": lambda logical_id, props, stack_name: (f"{stack_name}-{logical_id}", {}),
    "update": lambda query_id, old_props, props, stack_name: (query_id, {}),
    "delete": lambda query_id, props: None,
}


# SNS: a filter on the body looks into each object of an array, such as the Records of S3.

body_lookup = sns._body_lookup


def any_of(lookups):
    def lookup(key):
        found = [each(key) for each in lookups]
        values = [value for _, values, _ in found for value in values]
        return any(present for present, _, _ in found), values, any(nonempty for _, _, nonempty in found)

    lookup.child = lambda key: next((child for child in (each.child(key) for each in lookups) if child), None)
    return lookup


def body_lookup_with_arrays(body):
    lookup = body_lookup(body)
    child = lookup.child

    def child_with_arrays(key):
        value = body.get(key)
        objects = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        return any_of([body_lookup_with_arrays(each) for each in objects]) if objects else child(key)

    lookup.child = child_with_arrays
    return lookup


sns._body_lookup = body_lookup_with_arrays


# The Ref of a secret is its ARN.

secret = dict(HANDLERS["AWS::SecretsManager::Secret"])


def secret_name(arn):
    return arn.split(":secret:")[1].rsplit("-", 1)[0]


def by_arn(made):
    _, attributes = made
    return attributes["Arn"], attributes


HANDLERS["AWS::SecretsManager::Secret"] = {
    **secret,
    "create": lambda *args: by_arn(secret["create"](*args)),
    "update": lambda arn, *args: by_arn(secret["update"](secret_name(arn), *args)),
    "delete": lambda arn, props: secret["delete"](secret_name(arn), props),
}


# Firehose compresses what it names .gz.

put_object = firehose._put_s3_object
firehose._put_s3_object = lambda bucket, key, body: put_object(
    bucket, key, gzip.compress(body) if key.endswith(".gz") else body
)


# Metrics in the embedded metric format, from the lines that the function writes.

emit_logs = functions._emit_lambda_logs


def emit_metrics(log_text):
    for line in (log_text or "").splitlines():
        start = line.find("{")
        try:
            entry = json.loads(line[start:]) if start >= 0 and '"_aws"' in line else {}
        except ValueError:
            continue
        for directive in entry.get("_aws", {}).get("CloudWatchMetrics", []):
            for names in directive["Dimensions"]:
                dimensions = {name: entry[name] for name in names}
                for metric in directive["Metrics"]:
                    values = entry[metric["Name"]]
                    for value in values if isinstance(values, list) else [values]:
                        cloudwatch.record_metric(
                            directive["Namespace"], metric["Name"], value, metric.get("Unit", "None"), dimensions
                        )
    # As after PutMetricData.
    cloudwatch._evaluate_all_alarms()


def emit_logs_and_metrics(func, request_id, log_text, *args, **kwargs):
    emit_metrics(log_text)
    return emit_logs(func, request_id, log_text, *args, **kwargs)


functions._emit_lambda_logs = emit_logs_and_metrics


# FilterLogEvents: of optional terms, as in ?ERROR ?"Task timed out", one must occur.

compile_pattern = logs._compile_filter_pattern


def with_optional_terms(raw):
    terms = re.findall(r'\?(?:"([^"]+)"|(\w+))', raw or "")
    if not terms:
        return compile_pattern(raw)
    return lambda message: any((quoted or word) in message for quoted, word in terms)


logs._compile_filter_pattern = with_optional_terms


# With TLS it would listen on port 443 too.
app._port_is_bindable = lambda host, port: False


if __name__ == "__main__":
    app.main()
