"""Certificates for tests, made by OpenSSL as its users make them."""

import base64
import dataclasses
import pathlib
import shlex
import subprocess


@dataclasses.dataclass
class Certificate:
    """Two PEM files."""

    chain: pathlib.Path
    key: pathlib.Path


class Authority:
    """Vouches for those it gives a certificate to."""

    def __init__(self, directory, name):
        self.directory = directory / f"authority-{name}"
        self.directory.mkdir()
        self.certificate = self._files("ca")
        key, chain = self.certificate.key, self.certificate.chain
        _openssl(f"req -x509 {NEW_KEY} -keyout {key} -out {chain} -days 30 -subj /CN={name}")

    def server(self):
        """For whoever listens on this machine."""
        return self._issue("server", "localhost", "subjectAltName=DNS:localhost,IP:127.0.0.1", 30)

    def client(self, name, days=30):
        """For someone who calls."""
        return self._issue(name, name, "extendedKeyUsage=clientAuth", days)

    def pfx(self, certificate, password, legacy=False):
        """The certificate with its key as a PFX file in base64. Legacy: as old versions of Windows export them."""
        ciphers = "-legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1" if legacy else ""
        file = certificate.key.with_suffix(".pfx")
        files = f"-inkey {certificate.key} -in {certificate.chain} -out {file}"
        _openssl(f"pkcs12 -export {files} -passout {shlex.quote('pass:' + password)} {ciphers}")
        return base64.b64encode(file.read_bytes()).decode()

    def _issue(self, file, name, extension, days):
        issued = self._files(file)
        request = self.directory / f"{file}.csr"
        extensions = self.directory / f"{file}.ext"
        extensions.write_text(extension + "\n")
        _openssl(f"req {NEW_KEY} -keyout {issued.key} -out {request} -subj /CN={name}")
        issuer = f"-CA {self.certificate.chain} -CAkey {self.certificate.key} -CAcreateserial"
        _openssl(f"x509 -req -in {request} -out {issued.chain} -days {days} -extfile {extensions} {issuer}")
        return issued

    def _files(self, name):
        return Certificate(self.directory / f"{name}.pem", self.directory / f"{name}.key")


NEW_KEY = "-newkey rsa:2048 -nodes"


def _openssl(arguments):
    done = subprocess.run(["openssl", *shlex.split(arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise ChildProcessError(f"openssl {arguments}\n{done.stderr}")
