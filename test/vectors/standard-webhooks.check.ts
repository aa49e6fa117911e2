import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findPython, makeVirtualEnvironment } from "../python/virtual-environment.js";
import { libraryLines, type StandardDelivery, standardDeliveries } from "./standard-deliveries.js";

const run = promisify(execFile);
const GO_LIBRARY = "github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-standard-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Makes a program judge fresh deliveries. It reads `deliveries.json`, and prints `true` or `false` for each. */
async function expectSameVerdicts(judge: () => Promise<string>): Promise<void> {
  const deliveries: StandardDelivery[] = await standardDeliveries();
  await writeFile(join(folder, "deliveries.json"), JSON.stringify(deliveries));
  const printed = (await judge()).trim().split("\n");
  expect(deliveries.map(({ name }, index) => `${name}: ${printed[index]}`)).toEqual(
    deliveries.map(({ name, valid }) => `${name}: ${valid}`),
  );
}

test("the verifier of standardwebhooks from PyPI accepts our deliveries, and refuses altered, old and foreign ones", async () => {
  const { python } = await makeVirtualEnvironment(join(folder, "python"), findPython());
  await python(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "standardwebhooks==1.1.0"]);
  const { imports, verifies } = libraryLines("python");
  const program = `
import json
import os
from types import SimpleNamespace
${imports}
from standardwebhooks import WebhookVerificationError
for one in json.load(open("deliveries.json")):
    os.environ["WEBHOOK_SECRET"] = one["secret"]
    body, request = one["body"].encode(), SimpleNamespace(headers=one["headers"])
    try:
        ${verifies.trim()}
        print("true")
    except WebhookVerificationError:
        print("false")
`;
  await expectSameVerdicts(() => python(["-c", program], { cwd: folder }));
});

test("the verifier of the Go library accepts our deliveries, and refuses altered, old and foreign ones", async () => {
  const program = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

${libraryLines("go").imports}

func main() {
	var deliveries []struct {
		Secret, Body string
		Headers      map[string]string
	}
	file, _ := os.ReadFile("deliveries.json")
	if err := json.Unmarshal(file, &deliveries); err != nil {
		panic(err)
	}
	for _, one := range deliveries {
		request, body := http.Request{Header: http.Header{}}, []byte(one.Body)
		for name, value := range one.Headers {
			request.Header.Set(name, value)
		}
		os.Setenv("WEBHOOK_SECRET", one.Secret)
		${libraryLines("go").verifies}
		fmt.Println(err == nil)
	}
}
`;
  await writeFile(join(folder, "main.go"), program);
  const go = (...args: string[]) => run("go", args, { cwd: folder, env: { ...process.env, CGO_ENABLED: "0" } });
  await go("mod", "init", "verify");
  await go("get", GO_LIBRARY);
  await go("build", "-o", "verify", ".");
  await expectSameVerdicts(async () => (await run(join(folder, "verify"), { cwd: folder })).stdout);
});
