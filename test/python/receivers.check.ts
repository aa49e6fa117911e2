import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PYTHON_ENV } from "../docs/python.js";
import { deliveriesUnderTest } from "../receivers/deliveries.js";
import { PYPI } from "../receivers/frameworks.js";
import { exampleOf } from "../receivers/guide.js";
import { judge } from "../receivers/judge.js";
import { findToolsPython, makeVirtualEnvironment, type VirtualEnvironment } from "./virtual-environment.js";

const STORE = `import json


def store(event):
    with open("stored", "a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\\n")
`;

const SERVE = {
  Flask: `app.run("127.0.0.1", int(os.environ["PORT"]))`,
  FastAPI: `import uvicorn
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]))`,
  Django: `import sys
from wsgiref.simple_server import make_server
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path
settings.configure(ROOT_URLCONF=sys.modules[__name__], ALLOWED_HOSTS=["localhost"])
urlpatterns = [path("webhooks", webhook)]
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()`,
  "AWS Lambda": `from http.server import BaseHTTPRequestHandler, HTTPServer
class Gateway(BaseHTTPRequestHandler):
    is_base64 = False
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        Gateway.is_base64 = not self.is_base64
        text = base64.b64encode(body).decode() if self.is_base64 else body.decode("utf-8", "replace") or None
        answer = handler({"headers": dict(self.headers), "body": text, "isBase64Encoded": self.is_base64}, None)
        self.send_response(answer["statusCode"])
        self.end_headers()
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Gateway).serve_forever()`,
};

const deliveries = deliveriesUnderTest();
let folder: string;
let environment: VirtualEnvironment;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-python-receivers-"));
  environment = await makeVirtualEnvironment(join(folder, "venv"), findToolsPython());
  await environment.python(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PYPI]);
});
afterAll(async () => {
  await deliveries.end();
  await rm(folder, { recursive: true });
});

test.each(Object.entries(SERVE))("%s takes deliveries, and refuses forgeries", async (name, serve) => {
  await writeFile(join(folder, "store.py"), STORE);
  await writeFile(join(folder, "receiver.py"), `${exampleOf(`${name} in python`)}\n${serve}\n`);
  const command = () => [join(environment.bin, "python"), "receiver.py"] as const;
  await judge({ folder, command, env: PYTHON_ENV }, deliveries);
});
