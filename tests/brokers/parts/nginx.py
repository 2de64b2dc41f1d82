"""nginx that lets only those in who show a certificate."""

from parts.ports import free_port, is_open
from parts.program import Program

SETTINGS = """daemon off;
pid {directory}/pid;
error_log {directory}/error.log;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {server.chain};
        ssl_certificate_key {server.key};
        ssl_client_certificate {authority};
        ssl_verify_client on;
        location / {{ return 200 "hello $ssl_client_s_dn"; }}
    }}
}}
"""


class Nginx:
    """Answers with the name in the certificate of its caller."""

    def __init__(self, directory, server, authority):
        """`server`: the certificate it shows. `authority`: who vouches for its callers."""
        directory = directory / "nginx"
        directory.mkdir()
        self.port = free_port()
        settings = directory / "nginx.conf"
        settings.write_text(SETTINGS.format(directory=directory, port=self.port, server=server, authority=authority))
        # Debian has it where only the path of the system's administrator leads.
        command = ["/usr/sbin/nginx", "-p", directory, "-c", settings, "-e", directory / "error.log"]
        self.program = Program(directory / "out", command)
        self.url = f"https://localhost:{self.port}/"

    def __enter__(self):
        self.program.start(lambda: is_open(self.port))
        return self

    def __exit__(self, *_):
        self.program.stop()
