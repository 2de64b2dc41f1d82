"""What scripts/schemathesis tells Schemathesis beyond its options.

It checks the examples of the description, makes its schemas of answers stricter than they are for clients, steers made-up
names to things that exist, and keeps a run from ending itself.
"""

import json
import os
import re
import zlib

import jsonschema_rs
import schemathesis
from schemathesis.generation.meta import TestPhase

OWNER_TOKEN_ID = os.environ["PUNCTUAL_TOKEN"].split("_")[1]
NO_TOKEN_ID = "000000000000"

# Names are made up anew for each request, so that hardly one finds what another one has made. Most of them are
# replaced by these.
KNOWN_NAMES = {
    "subscriptionId": ["00000000-0000-0000-0000-000000000000"],
    "resourceGroupName": ["default"],
    "jobCollectionName": ["default", "reports"],
    "jobName": ["nightly", "weekly"],
}
# The same for parameters that are hardly ever right by chance.
KNOWN_PARAMETERS = {
    "subscription": ["00000000-0000-0000-0000-000000000000"],
    "group": ["default"],
    "$skiptoken": ["YQ", "YS9i"],
    "If-Match": ["*"],
    "timeZone": ["Europe/Berlin", "Eastern Standard Time"],
    "cron": ["30 2 * * *", "@hourly"],
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    close_answers(raw_schema["components"]["schemas"])
    check_examples(raw_schema)
    # A deletion answers nothing, and with dryRun a plan: a description cannot say that a body may be missing.
    del raw_schema["components"]["responses"]["DoneOrPlan"]["content"]


@schemathesis.hook
def before_call(context, case, **kwargs):
    # Sequences find each other's names themselves.
    if case.meta.phase.name != TestPhase.STATEFUL:
        steer(case.path_parameters, KNOWN_NAMES, case)
    for given in (case.query, case.headers, recurrence(case.body)):
        steer(given, KNOWN_PARAMETERS, case)
    spare(case)
    # A run makes jobs with addresses of all kinds, and must not call anyone.
    case.body = with_harmless_addresses(case.body)


def steer(given, known, case):
    """Replaces three of four values of those that are known. The dice are the request: a seed always does the same."""
    for name, values in known.items():
        value = (given or {}).get(name)
        if isinstance(value, str):
            dice = zlib.crc32(repr((name, value, case.method, case.query, case.body)).encode())
            if dice % 4 != 0:
                given[name] = values[dice // 4 % len(values)]


def recurrence(body):
    """The recurrence of a job, where there is one."""
    for name in ("properties", "recurrence"):
        body = body.get(name, body if name == "properties" else None) if isinstance(body, dict) else None
    return body if isinstance(body, dict) else None


def spare(case):
    """Lets nothing be deleted that the rest of the run needs."""
    path_parameters = case.path_parameters or {}
    # The owner's token stands in the list of tokens, so it is found. Without it every later request would be refused.
    if path_parameters.get("tokenId") == OWNER_TOKEN_ID:
        path_parameters["tokenId"] = NO_TOKEN_ID
    for name in ("resourceGroupName", "jobCollectionName"):
        is_deleted = case.method.upper() == "DELETE" and case.path.endswith("{%s}" % name)
        if is_deleted and path_parameters.get(name) in KNOWN_NAMES[name]:
            path_parameters[name] = "doomed"


def close_answers(schemas):
    """Lets no answer have a member that is not described.

    The description does not say so, because clients shall bear members that are added later.
    """
    for name, schema in schemas.items():
        if not name.endswith("Input"):
            close(schema)


def close(schema):
    if isinstance(schema, list):
        for inner in schema:
            close(inner)
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)
        for inner in schema.values():
            close(inner)


def check_examples(raw_schema):
    """Compares every example with its schema, those of the answers too, which Schemathesis does not send."""
    for where, media in media_types(raw_schema["components"]):
        schema = {**media["schema"], "components": raw_schema["components"]}
        errors = [str(error) for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(media["example"])]
        assert not errors, f"the example of {where} is not what its schema says: {errors}"


def media_types(components):
    for kind in ("requestBodies", "responses"):
        for name, holder in components[kind].items():
            for media in holder.get("content", {}).values():
                yield f"{kind}/{name}", media


def with_harmless_addresses(body):
    try:
        text = json.dumps(body)
    except TypeError:
        # Bytes that are no JSON: nothing that could become a job.
        return body
    return json.loads(re.sub(r'(?i)(https?://)[^/?#"\\]+', r"\1example.invalid", text))
