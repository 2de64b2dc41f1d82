"""An identity provider that issues tokens to programs: oidc-provider, behind addresses as Microsoft Entra ID has them."""

import os
import pathlib

import jwt

from parts.ports import free_port, is_open
from parts.program import Program

TENANT, CLIENT, AUDIENCE = "contoso.test", "scheduler", "https://receiver.test"
PROGRAM = pathlib.Path(__file__).with_name("identity.mjs")


class Identity:
    """Issues tokens that live for so many seconds."""

    def __init__(self, directory, secret, token_seconds):
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.log = directory / f"identity-{self.port}.log"
        environment = {**os.environ, "IDENTITY_SECRET": secret}
        arguments = [self.port, token_seconds, TENANT, CLIENT, AUDIENCE]
        self.program = Program(self.log, ["node", "--no-deprecation", PROGRAM, *arguments], environment)

    def __enter__(self):
        self.program.start(lambda: is_open(self.port))
        self.keys = jwt.PyJWKClient(f"{self.issuer}/jwks")
        return self

    def __exit__(self, *_):
        self.program.stop()

    def issued(self):
        """How many tokens it has issued."""
        return self.program.said().count("issued\n")

    def check(self, request):
        """The token of a request, if it is one of ours, for this audience, and has not ended."""
        scheme, _, token = (request.headers["Authorization"] or "").partition(" ")
        if scheme != "Bearer":
            raise jwt.InvalidTokenError("no bearer token")
        key = self.keys.get_signing_key_from_jwt(token).key
        jwt.decode(token, key, algorithms=["RS256"], audience=AUDIENCE, issuer=self.issuer)
        return token
