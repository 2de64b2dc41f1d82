"""Secrets with a mark, the spellings in which a target may repeat them, and the search for them."""

import base64
import os
import string

BEGINNING = "planted"
DIGITS = string.ascii_lowercase + string.digits


class Plants:
    """Every secret that was planted, by the field it was planted in."""

    def __init__(self):
        self.by_field = {}
        self.texts = set()

    def plant(self, field):
        """A new secret: no other text holds it by chance."""
        mark = BEGINNING + "".join(DIGITS[byte % len(DIGITS)] for byte in os.urandom(20))
        self.by_field[field] = mark
        return mark

    def add_text(self, what, text):
        """Something that has no mark, and is looked for as it is."""
        self.texts.add((what, text.encode() if isinstance(text, str) else text))

    def found(self, content, where, except_fields=()):
        """A line for each secret that is somewhere in the bytes, in whichever spelling."""
        content = content.encode() if isinstance(content, str) else content
        small = content.lower()

        def at(needle, is_any_case):
            return (small if is_any_case else content).find(needle)

        # Most contents have none of them in a spelling, which shows at how all of them begin.
        may_be = [at(needle, is_any_case) >= 0 for _, needle, is_any_case in needles(BEGINNING)]
        lines = [f"{what} in {where}" for what, text in self.texts if text in content]
        for field, mark in self.by_field.items():
            for is_looked_for, (name, needle, is_any_case) in zip(may_be, needles(mark)):
                found = at(needle, is_any_case) if is_looked_for and field not in except_fields else -1
                if found >= 0:
                    lines.append(f"{field} as {name} in {where}: {content[max(0, found - 60) : found + 60]!r}")
                    break
        return lines


def needles(mark):
    """What of a secret is looked for: spelling, bytes, and whether their case says nothing."""
    plain = mark.encode()
    yield "it is", plain, True
    yield "UTF-16", mark.encode("utf-16-le"), False
    yield "percent-encoded", SPELLINGS["percent"](plain).lower(), True
    yield "JSON", SPELLINGS["json"](plain).lower(), True
    yield "HTML", SPELLINGS["html"](plain), False
    yield "hexadecimal digits", plain.hex().encode(), True
    # Three alphabets, by how many bytes are before it; the digits at the edges depend on its neighbours.
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + plain)
        yield "base64", encoded[4 if before else 0 : -4], False
        yield "base64url", base64.urlsafe_b64encode(bytes(before) + plain)[4 if before else 0 : -4], False


SPELLINGS = {
    "plain": lambda text: text,
    "percent": lambda text: b"".join(b"%%%02X" % byte for byte in text),
    "base64": base64.b64encode,
    "base64-inside": lambda text: base64.b64encode(b"x" + text + b"y"),
    "hex": lambda text: text.hex().encode(),
    "json": lambda text: b"".join(b"\\u%04x" % byte for byte in text),
    "html": lambda text: b"".join(b"&#%d;" % byte for byte in text),
}
