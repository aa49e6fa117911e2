from __future__ import annotations

import ssl
import subprocess
import tempfile
from pathlib import Path

from loopback import DRAFT, LoopbackTest, ok

from shipping_client import APIConnectionError

CERTIFICATE = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"


class Tls(LoopbackTest):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate, key = Path(folder.name) / "certificate.pem", Path(folder.name) / "key.pem"
        names = ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(self.certificate), "-keyout", str(key)]
        subprocess.run(["openssl", *CERTIFICATE.split(), *names], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.base_url = self.base_url.replace("http:", "https:")

    def test_a_connection_to_a_known_certificate_is_used_again(self) -> None:
        shipping = self.serve(ok(DRAFT), ssl_context=ssl.create_default_context(cafile=str(self.certificate)))
        for _ in range(5):
            self.assertEqual(shipping.shipments.get("shp_1"), DRAFT)
        self.assertEqual(len(self.seen), 5)
        self.assertEqual(self.server.opened, 1)

    def test_nothing_is_sent_to_an_unknown_certificate(self) -> None:
        error = self.error_of(self.serve(ok(DRAFT), retries=0).account.get)
        self.assertIsInstance(error, APIConnectionError)
        self.assertIn("certificate verify failed", str(error.__cause__))
        self.assertEqual(self.seen, [])

    def test_nothing_is_sent_to_a_certificate_of_another_host(self) -> None:
        self.base_url = self.base_url.replace("127.0.0.1", "localhost")
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        error = self.error_of(self.serve(ok(DRAFT), retries=0, ssl_context=trusted).account.get)
        self.assertIn("Hostname mismatch", str(error.__cause__))
        self.assertEqual(self.seen, [])
