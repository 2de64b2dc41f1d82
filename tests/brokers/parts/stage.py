"""What a check stands on: a directory, an authority that everybody trusts, and programs that end with it."""

import contextlib
import pathlib
import tempfile

from parts.authority import Authority
from parts.punctual import Punctual


class Stage:
    """Lives until it is left; what was begun last ends first."""

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.directory = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="punctual-")))
        # Brokers run as users of their own, and have to reach what is theirs in it.
        self.directory.chmod(0o755)
        self.authority = Authority(self.directory, "punctual-tests")
        return self

    def __exit__(self, *_):
        self.stack.close()

    def begin(self, part):
        """Enters it; it is left when the stage is."""
        return self.stack.enter_context(part)

    def serve(self, settings="", log_level="info"):
        """Begins the server under test, which trusts the authority."""
        trust = f'[outbound]\nca = "{self.authority.certificate.chain}"\n\n'
        return self.begin(Punctual(self.directory, trust + settings, log_level))
