"""Starts ministack with what it lacks of CloudFormation, Firehose and CloudWatch, added from outside: no file of it is changed.

Each addition follows AWS's documents. These differences remain: IAM is not enforced for Firehose, Scheduler and log delivery. Firehose delivers to S3
one object per record, at once, and nothing to Splunk and HTTP. Alarms and GetMetricData ignore dimensions and missing data. StartMessageMoveTask is
missing, and so is the reverting of drift. VPC, KMS and saved queries of logs are stored without an effect.
"""

import contextvars
import gzip
import json
import re
import ministack.services.cloudformation.provisioners as provisioners
import ministack.services.cloudwatch as cloudwatch
import ministack.services.cloudwatch_logs as logs
import ministack.services.firehose as firehose
import ministack.services.iam as iam
import ministack.services.lambda_svc as functions
import ministack.services.sns as sns
from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.core.responses import get_account_id
from ministack.core.router import extract_access_key_id

HANDLERS = provisioners._RESOURCE_HANDLERS


def answered(response):
    """The body of an internal answer, or CloudFormation's failure of the resource."""
    status, _, body = response
    text = body.decode() if isinstance(body, bytes) else body
    if status >= 400:
        raise ValueError(text)
    return text


# AWS::CloudWatch::CompositeAlarm, over PutCompositeAlarm, which refuses a rule that names a missing alarm.

def put_composite(name, props):
    answered(cloudwatch._put_composite_alarm({}, {**props, "AlarmName": name}, False, True))
    return name, {"Arn": cloudwatch._composite_alarms[name]["AlarmArn"]}


def composite_name(logical_id, props, stack_name):
    return props.get("AlarmName") or provisioners._physical_name(stack_name, logical_id, max_len=255)


def create_composite(logical_id, props, stack_name):
    return put_composite(composite_name(logical_id, props, stack_name), props)


def delete_composite(name, props):
    cloudwatch._composite_alarms.pop(name, None)


def update_composite(name, old_props, props, stack_name, logical_id=None):
    wanted = composite_name(logical_id or name, props, stack_name)
    if wanted == name:
        return put_composite(name, props)
    created = put_composite(wanted, props)
    delete_composite(name, old_props)
    return created


HANDLERS["AWS::CloudWatch::CompositeAlarm"] = {
    "create": create_composite,
    "update": update_composite,
    "update_with_logical_id": True,
    "delete": delete_composite,
}


# AWS::IAM::OIDCProvider, over CreateOpenIDConnectProvider.

def create_provider(logical_id, props, stack_name):
    params = {"Url": [props["Url"]]}
    for place, client in enumerate(props.get("ClientIdList", []), 1):
        params[f"ClientIDList.member.{place}"] = [client]
    text = answered(iam._create_oidc_provider(params))
    arn = text.split("<OpenIDConnectProviderArn>")[1].split("<")[0]
    return arn, {"Arn": arn}


HANDLERS["AWS::IAM::OIDCProvider"] = {
    "create": create_provider,
    "delete": lambda arn, props: iam._oidc_providers.pop(arn, None),
}


# AWS::IAM::Role: with its boundary, and only where the user who deploys may create the role. For the CDK's roles CloudFormation has another one.

access_key = contextvars.ContextVar("access_key", default="")
pin_caller = iam_evaluator.pin_request_caller


def pin_caller_and_key(headers, query_params=None):
    access_key.set(extract_access_key_id(headers or {}, query_params or {}))
    pin_caller(headers, query_params)


iam_evaluator.pin_request_caller = pin_caller_and_key
role = dict(HANDLERS["AWS::IAM::Role"])


def create_role(logical_id, props, stack_name):
    name = props.get("RoleName") or logical_id
    arn = f"arn:aws:iam::{get_account_id()}:role{props.get('Path', '/')}{name}"
    boundary = props.get("PermissionsBoundary")
    context = {"iam:PermissionsBoundary": boundary}
    is_user = ":user/" in iam_evaluator.caller_arn()
    if is_user and iam_evaluator.enforce(access_key.get(), "iam:CreateRole", "iam", "us-east-1", arn, context):
        raise ValueError(f"{iam_evaluator.caller_arn()} is not authorized to perform: iam:CreateRole on resource: {arn}")
    created, attributes = role["create"](logical_id, props, stack_name)
    iam._roles[created]["PermissionsBoundary"] = boundary
    return created, attributes


HANDLERS["AWS::IAM::Role"] = {**role, "create": create_role}


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


# IAM: DescribeStacks without a name is about every stack, as AWS names it in its refusals, a call that lists alarms is about the first, and a
# log group ends in ":*".

resource_arn = iam_actions.extract_resource_arn


def listed_alarms(body):
    try:
        return json.loads(body).get("AlarmNames", [])
    except ValueError:
        return []


def resource_as_named(service, method, path, headers, body, query_params, region, account_id):
    found = resource_arn(service, method, path, headers, body, query_params, region, account_id)
    if service == "logs" and not found.endswith("*"):
        return f"{found}:*"
    if found != "*":
        return found
    if service == "cloudformation":
        return f"arn:aws:cloudformation:{region}:{account_id}:stack/*/*"
    alarms = listed_alarms(body) if service == "monitoring" else []
    return f"arn:aws:cloudwatch:{region}:{account_id}:alarm:{alarms[0]}" if alarms else found


iam_actions.extract_resource_arn = resource_as_named


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
