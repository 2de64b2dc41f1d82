"""Shared access signatures, as a namespace checks them."""

import base64
import binascii
import hashlib
import hmac
import time
import urllib.parse

SCHEME = "SharedAccessSignature "


class Refused(Exception):
    """Why a token is worth nothing."""


class Keys:
    """The keys of a namespace, and the tokens that were made with them."""

    def __init__(self, hosts, keys):
        self.hosts = hosts
        self.keys = keys
        self.seen = set()
        self.expired = set()

    def expire_seen(self):
        self.expired |= self.seen

    def check(self, token, audience):
        """Until when a token is good for an audience, in seconds since 1970."""
        fields = _fields(token)
        key = self.keys.get(fields["skn"])
        if key is None:
            raise Refused(f"InvalidSignature: there is no key {fields['skn']}")
        signed = f"{fields['sr']}\n{fields['se']}".encode()
        expected = hmac.new(key.encode(), signed, hashlib.sha256).digest()
        if not hmac.compare_digest(expected, _decoded(fields["sig"])):
            raise Refused("InvalidSignature: The token has an invalid signature.")
        expires = int(fields["se"])
        if expires <= time.time() or token in self.expired:
            raise Refused("ExpiredToken: The token is expired.")
        resource = self.path(urllib.parse.unquote_plus(fields["sr"]))
        if not covers(resource, self.path(audience)):
            raise Refused("InvalidAudience: The authorization header contains a token for another audience.")
        self.seen.add(token)
        return expires

    def path(self, uri):
        """The segments of an entity's address in this namespace."""
        parts = urllib.parse.urlsplit(uri)
        if parts.scheme not in ("sb", "amqp", "amqps", "http", "https") or parts.hostname not in self.hosts:
            raise Refused(f"InvalidAudience: {uri} is no address of this namespace")
        return segments(parts.path)


def segments(path):
    return tuple(segment.lower() for segment in path.split("/") if segment)


def covers(resource, entity):
    """Whether a right to the resource is one to the entity: it is the same, or below it."""
    return entity[: len(resource)] == resource


def _fields(token):
    if not token.startswith(SCHEME):
        raise Refused("MalformedToken: no shared access signature")
    fields = dict(urllib.parse.parse_qsl(token[len(SCHEME) :], keep_blank_values=True))
    raw = dict(part.partition("=")[::2] for part in token[len(SCHEME) :].split("&"))
    if sorted(raw) != ["se", "sig", "skn", "sr"] or not raw["se"].isdigit():
        raise Refused("MalformedToken: expected sr, sig, se and skn")
    # What was signed is the resource as it is written in the token, encoded.
    return {**fields, "sr": raw["sr"]}


def _decoded(signature):
    try:
        return base64.b64decode(signature, validate=True)
    except binascii.Error as error:
        raise Refused("MalformedToken: the signature is not base64") from error
