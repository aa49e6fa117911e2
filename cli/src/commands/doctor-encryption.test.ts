import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import { certificateFolder, type TestAuthority, testAuthority } from "@shipping/kit/testing/certificates";
import { openTls } from "@shipping/kit/tls/tls";
import { adminIn } from "../testing/admin.js";

let authority: TestAuthority;
beforeAll(async () => {
  authority = await testAuthority();
});

const { admin, findingOf } = adminIn(() => ({ DATA_DIR: "/nowhere" }));
const doctor = async (env: Env) => (await admin("doctor", env)).out;

/** A server that accepts connections and sends no bytes. */
async function silentServer(secure?: { cert: string; key: string }) {
  const server = secure ? createTlsServer(secure, (socket) => socket.resume()) : createServer();
  const quiet = (socket: NodeJS.EventEmitter) => socket.on("error", () => {});
  server.on("connection", quiet).on("secureConnection", quiet);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = () => new Promise((resolve) => server.close(resolve));
  return { port: (server.address() as AddressInfo).port, close };
}

test("of a service: plaintext, or mutual TLS with the part that its certificate names", async () => {
  const { files, settings, write, remove } = certificateFolder();
  write({ ...(await authority.issue(["127.0.0.1"], { part: "operator" })), ca: authority.ca });
  const tls = openTls(settings, silentLog());
  const start = (secure?: typeof tls) =>
    serve({ routes: () => {}, peers: { operator: [] }, port: 0, host: "127.0.0.1", log: silentLog(), tls: secure });
  const [secure, plain] = await Promise.all([start(tls), start()]);
  const certificate = { subject: expect.stringContaining("CN="), issuer: expect.stringMatching(/^CN=Shipping parts /) };
  const encryption = { encrypted: true, protocol: "TLSv1.3", certificate: { ...certificate, verified: true } };
  const at = (port: number) => ({ RECORDS_URL: `http://127.0.0.1:${port}` });
  expect(await findingOf("records service", { ...at(secure.port), ...files })).toMatchObject({ ok: true, encryption });
  expect(await findingOf("records service", at(plain.port))).toMatchObject({ encryption: { encrypted: false } });
  expect(await findingOf("records service", at(secure.port))).toMatchObject({ ok: false });
  expect(await doctor({ ...at(secure.port), ...files })).toMatch(
    /serving at .*\n {4}encrypted \(TLSv1\.3\), certificate of .*CN=.*, issued by CN=Shipping parts \w+: verified\n/,
  );
  expect(await doctor(at(plain.port))).toMatch(/serving at .*\n {4}not encrypted\n/);
  await Promise.all([secure.stop(0), plain.stop(0), tls?.close()]);
  remove();
});

test("of the proxy of deliveries: plaintext, and an untrusted certificate is refused", async () => {
  const [plain, secure] = await Promise.all([silentServer(), silentServer(await authority.issue(["127.0.0.1"]))]);
  const at = (scheme: string, port: number) => ({ EGRESS_PROXY_URL: `${scheme}://user:hush@127.0.0.1:${port}` });
  expect(await findingOf("egress proxy", at("http", plain.port))).toEqual({
    part: "egress proxy",
    ok: true,
    says: `accepting connections at 127.0.0.1:${plain.port}`,
    encryption: { encrypted: false },
  });
  expect(await findingOf("egress proxy", at("https", secure.port))).toMatchObject({
    ok: false,
    says: expect.stringMatching(/certificate|issuer/),
  });
  expect(await doctor(at("https", secure.port))).not.toContain("hush");
  await Promise.all([plain.close(), secure.close()]);
});
