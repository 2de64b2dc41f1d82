"""Targets that repeat whatever they are told, in one spelling after the other."""

import base64
import json
import urllib.parse

from parts.plants import BEGINNING, SPELLINGS
from parts.receiver import Answer

# A header or the reason of a status that is longer would be refused before anybody can look into it.
LINE_BYTES_MAX = 2000


def echo(request):
    """The answer: an error, with everything in its reason, headers and body. The spelling is in the path."""
    parts = urllib.parse.urlsplit(request.path)
    spelling = next((name for name in SPELLINGS if f"/{name}/" in parts.path), "plain")
    # An answer may be cut anywhere: secrets first, and the short ones before what holds several of them.
    ordered = sorted(texts(request), key=lambda text: (BEGINNING.encode() not in text, len(text)))
    spelled = [SPELLINGS[spelling](text) for text in ordered if text]
    line = b" ".join(spelled)[:LINE_BYTES_MAX].decode("latin-1")
    headers = {f"x-echo-{number}": text[:LINE_BYTES_MAX].decode("latin-1") for number, text in enumerate(spelled)}
    return Answer(500, line, headers, b"\n".join(spelled))


def texts(request):
    """What the request holds, whole and in its parts."""
    query = urllib.parse.urlsplit(request.path).query
    yield query.encode()
    yield from (value.encode() for values in urllib.parse.parse_qs(query).values() for value in values)
    for name, value in request.headers.items():
        if name.lower() in ("authorization", "x-planted", "brokerproperties"):
            yield value.encode()
    scheme, _, credentials = (request.headers["Authorization"] or "").partition(" ")
    if scheme == "Basic":
        user, _, password = base64.b64decode(credentials).partition(b":")
        yield from (user + b":" + password, password)
    yield request.body
    yield from values(request.body)


def values(body):
    """The single values in a body: of JSON, of a form, or of the XML of a queue."""
    try:
        yield from (str(value).encode() for value in json.loads(body).values())
    except (ValueError, AttributeError):
        text = body.decode(errors="replace")
        yield from (value.encode() for values in urllib.parse.parse_qs(text).values() for value in values)
        inside = text.partition("<MessageText>")[2].partition("</MessageText>")[0]
        yield inside.encode()
