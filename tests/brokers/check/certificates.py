"""Jobs that show a client certificate to nginx."""

from parts.authority import Authority
from parts.nginx import Nginx
from parts.punctual import failed, is_completed, succeeded
from report import equal, within

PASSWORD = "of the file"


def checks(stage):
    callers = Authority(stage.directory, "callers")
    nginx = stage.begin(Nginx(stage.directory, stage.authority.server(), callers.certificate.chain))
    server = stage.serve()
    scenario = Scenario(stage, callers, nginx, server)
    yield "a PFX file of today", scenario.modern
    yield "a PFX file of old, with RC2 and 3DES", scenario.legacy
    yield "no certificate", scenario.without
    yield "a certificate of another authority", scenario.stranger
    yield "a wrong password", scenario.wrong_password
    yield "a certificate that ends soon", scenario.ends_soon
    yield "a certificate that was exchanged by PATCH", scenario.rotated
    yield "an error action", scenario.error_action


class Scenario:
    def __init__(self, stage, callers, nginx, server):
        self.stage = stage
        self.callers = callers
        self.nginx = nginx
        self.server = server

    def action(self, pfx=None, password=PASSWORD):
        request = {"uri": self.nginx.url, "method": "GET"}
        if pfx:
            request["authentication"] = {"type": "ClientCertificate", "pfx": pfx, "password": password}
        return {"type": "Https", "request": request}

    def pfx(self, name, **options):
        return self.callers.pfx(self.callers.client(name), PASSWORD, **options)

    def greeted(self, job, name, pfx):
        """Runs a job, and compares whom nginx greets; gives what is shown of the certificate."""
        record = self.server.once(job, self.action(pfx))
        succeeded(record)
        within(f"hello CN={name}", record["message"])
        return self.server.ask("GET", f"/v1/jobs/{job}")["action"]["request"]["authentication"]

    def modern(self):
        shown = self.greeted("modern", "caller", self.pfx("caller"))
        equal(shown["certificateSubjectName"], "CN=caller")
        equal(sorted(shown), ["certificateExpiration", "certificateSubjectName", "certificateThumbprint", "type"])

    def legacy(self):
        self.greeted("legacy", "old-caller", self.pfx("old-caller", legacy=True))

    def without(self):
        failed(self.server.once("without", self.action()), "No required SSL certificate was sent")

    def stranger(self):
        authority = Authority(self.stage.directory, "strangers")
        pfx = authority.pfx(authority.client("stranger"), PASSWORD)
        failed(self.server.once("stranger", self.action(pfx)), "The SSL certificate error")

    def wrong_password(self):
        content = self.server.refusal("wrong-password", self.action(self.pfx("careless"), "another one"))
        within("request.authentication.password", content)

    def ends_soon(self):
        pfx = self.callers.pfx(self.callers.client("hasty", days=7), PASSWORD)
        warning = self.server.warning("ends-soon", self.action(pfx), startTime="2037-01-01")
        within("request.authentication", warning)

    def rotated(self):
        every_second = {"recurrence": {"cron": "* * * * * *"}}
        self.server.put("rotated", self.action(self.pfx("before")), **every_second)
        self.server.records("rotated", 2)
        new = self.action(self.pfx("after"))["request"]["authentication"]
        self.server.patch("rotated", {"action": {"request": {"authentication": new}}})
        patched = len(self.server.history("rotated"))
        records = self.server.records("rotated", patched + 3)
        self.server.delete("rotated")
        names = ["after" if "hello CN=after" in record["message"] else "before" for record in records]
        # The one that was on its way while the job was edited may still have shown the old one.
        equal(names[:2], ["before", "before"])
        equal(names[patched + 1 :], ["after"] * (len(names) - patched - 1))
        equal([record["message"] for record in records if not is_completed(record)], [])

    def error_action(self):
        error = {**self.action(self.pfx("mourner")), "retryPolicy": {"retryType": "None"}}
        main = {**self.action(), "retryPolicy": {"retryType": "None"}, "errorAction": error}
        self.server.put("with-error-action", main)
        records = self.server.records("with-error-action", 2)
        equal(records[1]["actionName"], "errorAction")
        within("hello CN=mourner", records[1]["message"])
