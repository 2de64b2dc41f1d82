"""python run.py NAME: does the checks of one module in check/, against the binary that PUNCTUAL_BINARY names."""

import importlib
import re
import sys
import traceback

from parts.stage import Stage
from report import Report

name = sys.argv[1]
checks = importlib.import_module(f"check.{name}").checks
report = Report(name)
with Stage() as stage:
    try:
        for title, check in checks(stage):
            report.check(title, check)
    except Exception:
        report.failed += 1
        print(f"FAILED {name} cannot begin\n{traceback.format_exc()}", flush=True)
    if report.failed:
        log = stage.directory / "punctual" / "log"
        said = log.read_text(errors="replace")[-3000:] if log.exists() else "nothing"
        # The token is of no use any more, but nobody should get used to seeing one in a log.
        print("--- the last words of the server\n" + re.sub(r"punctual_[a-z0-9]{12}_[\w-]+", "punctual_...", said))
report.finish()
