import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testAuthority } from "../testing/certificates.js";
import { kubernetesSecrets } from "./kubernetes-secrets.js";

const PATH = "/api/v1/namespaces/shipping/secrets/";

/** A stand-in for the API of a cluster: Secrets with a version, for clients with the token. */
const secrets = new Map<string, { metadata: { resourceVersion: number; labels?: object }; data?: object }>();
const asked: string[] = [];
let api: https.Server;
let folder: string;

beforeAll(async () => {
  const authority = await testAuthority();
  api = https.createServer(await authority.issue(["127.0.0.1"]), async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const name = request.url?.replace(PATH, "") ?? "";
    const found = secrets.get(name);
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
    if (request.headers.authorization !== "Bearer a-token") return answer(401, { message: "Unauthorized" });
    if (!found) return answer(404, { message: `secrets "${name}" not found` });
    if (request.method === "GET") return answer(200, found);
    const put = JSON.parse(body);
    if (put.metadata.resourceVersion !== found.metadata.resourceVersion) return answer(409, { message: "modified" });
    secrets.set(name, { ...put, metadata: { ...put.metadata, resourceVersion: put.metadata.resourceVersion + 1 } });
    return answer(200, secrets.get(name));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  folder = mkdtempSync(join(tmpdir(), "service-account-"));
  for (const [file, text] of Object.entries({ token: "a-token\n", "ca.crt": authority.ca, namespace: "shipping" })) {
    writeFileSync(join(folder, file), text);
  }
});
beforeEach(() => {
  asked.length = 0;
  secrets.set("records", { metadata: { resourceVersion: 1, labels: { of: "the chart" } } });
});
afterAll(async () => {
  await new Promise((resolve) => api.close(resolve));
  rmSync(folder, { recursive: true });
});

const store = (serviceAccount = folder) =>
  kubernetesSecrets({ host: "127.0.0.1", port: (api.address() as AddressInfo).port, serviceAccount });

test("an empty Secret is filled, and keeps its other members", async () => {
  await store().update("records", async (files) => ({ ...files, "tls.crt": "PEM" }));
  expect(secrets.get("records")).toEqual({
    metadata: { resourceVersion: 2, labels: { of: "the chart" } },
    data: { "tls.crt": Buffer.from("PEM").toString("base64") },
  });
  expect(await store().update("records", async (files) => files)).toEqual({ "tls.crt": "PEM" });
});

test("a Secret that is up to date is only read", async () => {
  await store().update("records", async (files) => ({ ...files }));
  expect(asked).toEqual([`GET ${PATH}records`]);
});

test.each([
  ["changed by somebody else meanwhile", "records", "PUT of Secret records: 409"],
  ["that is not there", "tracking", "GET of Secret tracking: 404"],
])("one %s is an error, and nothing is written", async (_case, name, message) => {
  const change = async () => {
    secrets.set("records", { metadata: { resourceVersion: 7 } });
    return { "tls.crt": "PEM" };
  };
  await expect(store().update(name, change)).rejects.toThrow(message);
  expect(secrets.get("records")?.data).toBeUndefined();
});

test("an API that another authority vouches for is told nothing", async () => {
  const foreign = mkdtempSync(join(tmpdir(), "service-account-"));
  writeFileSync(join(foreign, "token"), "a-token");
  writeFileSync(join(foreign, "namespace"), "shipping");
  writeFileSync(join(foreign, "ca.crt"), (await testAuthority()).ca);
  await expect(store(foreign).update("records", async (files) => files)).rejects.toThrow("certificate");
  expect(asked).toEqual([]);
  rmSync(foreign, { recursive: true });
});
