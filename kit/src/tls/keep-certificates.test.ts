import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { silentLog } from "../process/log.js";
import { type Files, keepCertificates, sameFiles } from "./keep-certificates.js";

const DAY_MS = 86_400_000;
const BEGIN = Date.now();
const subjectOf = (part: string) => ({ hosts: [part, "127.0.0.1"], uri: `spiffe://tests/platform/${part}` });
const certificates = { records: subjectOf("records"), carrier: subjectOf("carrier") };

/** A store in memory, and certificates kept in it as they are `days` later. */
function keeper() {
  const kept = new Map<string, Files>();
  let writes = 0;
  const store = {
    async update(name: string, change: (files: Files) => Promise<Files>) {
      const before = kept.get(name) ?? {};
      const after = await change(before);
      if (!sameFiles(before, after)) {
        writes++;
        kept.set(name, after);
      }
      return after;
    },
  };
  const keep = async (days = 0, wanted = certificates) => {
    writes = 0;
    await keepCertificates(
      { store, log: silentLog(), now: new Date(BEGIN + days * DAY_MS) },
      { authority: "authority", certificates: wanted, durationMs: 90 * DAY_MS, renewBeforeMs: 30 * DAY_MS },
    );
    return { writes, authority: kept.get("authority")!, records: kept.get("records")!, carrier: kept.get("carrier")! };
  };
  return { keep, kept };
}

const daysLeft = (pem = "", from = 0) =>
  Math.round((Date.parse(new X509Certificate(pem).validTo) - BEGIN) / DAY_MS - from);
const certificatesIn = (pem = "") => pem.split(/(?<=-----END CERTIFICATE-----\n)/).filter((one) => one.trim());
const credentials = (files: Files) => ({ cert: files["tls.crt"]!, key: files["tls.key"]!, ca: files["ca.crt"]! });

/** Whether the two trust each other, at any time. */
const believe = (one: Files, other: Files) =>
  [
    [one, other],
    [other, one],
  ].every(([believer, shown]) =>
    certificatesIn(believer?.["ca.crt"]).some((ca) =>
      new X509Certificate(shown?.["tls.crt"] ?? "").verify(new X509Certificate(ca).publicKey),
    ),
  );

/** Whether they do in a handshake. */
async function meet(server: Files, client: Files): Promise<boolean> {
  const listening = tls.createServer({ ...credentials(server), requestCert: true, rejectUnauthorized: true });
  listening.on("secureConnection", (socket) => socket.end("hello"));
  await once(listening.listen(0, "127.0.0.1"), "listening");
  const { port } = listening.address() as AddressInfo;
  const socket = tls.connect({ port, host: "127.0.0.1", ...credentials(client) });
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes;
  });
  await new Promise((resolve) => socket.on("close", resolve));
  await new Promise((resolve) => listening.close(resolve));
  return answer === "hello";
}

describe("certificates", () => {
  test("are made for each part by one authority, and believe each other", async () => {
    const { writes, authority, records, carrier } = await keeper().keep();
    expect(writes).toBe(3);
    expect(Object.keys(authority).sort()).toEqual(["ca.crt", "ca.key"]);
    const certificate = new X509Certificate(records["tls.crt"]!);
    expect(certificate.subjectAltName).toBe("DNS:records, IP Address:127.0.0.1, URI:spiffe://tests/platform/records");
    expect([certificate.subject, certificate.ca]).toEqual(["CN=records", false]);
    expect(certificate.checkPrivateKey(createPrivateKey(records["tls.key"]!))).toBe(true);
    expect([daysLeft(records["tls.crt"]), daysLeft(authority["ca.crt"])]).toEqual([90, 900]);
    expect(await meet(records, carrier)).toBe(true);
    expect(await meet(records, (await keeper().keep()).carrier)).toBe(false);
  });

  test("made by a clock that is ten minutes ahead or behind are good at once", async () => {
    for (const minutes of [10, -10]) {
      const { records, carrier } = await keeper().keep(minutes / (24 * 60));
      expect(await meet(records, carrier)).toBe(true);
    }
  });

  test("that are valid stay as they are, however often they are checked", async () => {
    const { keep } = keeper();
    const { records } = await keep();
    expect(await keep(1)).toMatchObject({ writes: 0, records });
    expect(await keep(59)).toMatchObject({ writes: 0, records });
  });

  test("that end soon are replaced, by the same authority and with a new key", async () => {
    const { keep } = keeper();
    const before = await keep();
    const after = await keep(61);
    expect(after).toMatchObject({ writes: 2, authority: before.authority });
    expect(daysLeft(after.records["tls.crt"], 61)).toBe(90);
    expect(after.records["tls.key"]).not.toBe(before.records["tls.key"]);
    expect(believe(before.records, after.carrier)).toBe(true);
  });

  test.each([
    ["one that was deleted", (kept: Map<string, Files>) => void kept.delete("carrier")],
    ["one without its key", (kept: Map<string, Files>) => void kept.set("carrier", { "tls.crt": "" })],
    [
      "one with another's key",
      (kept: Map<string, Files>) =>
        void kept.set("carrier", { ...kept.get("carrier"), "tls.key": kept.get("records")!["tls.key"]! }),
    ],
    ["one that is none", (kept: Map<string, Files>) => void kept.set("carrier", { "tls.crt": "x", "tls.key": "y" })],
  ])("%s is made again, and no other", async (_case, lose) => {
    const { keep, kept } = keeper();
    const { records } = await keep();
    lose(kept);
    const after = await keep(1);
    expect(after).toMatchObject({ writes: 1, records });
    expect(believe(after.records, after.carrier)).toBe(true);
  });

  test("for other names are replaced", async () => {
    const { keep } = keeper();
    const { carrier } = await keep();
    const moved = { ...certificates, records: { ...certificates.records, hosts: ["eu-records"] } };
    const after = await keep(1, moved);
    expect(after).toMatchObject({ writes: 1, carrier });
    expect(new X509Certificate(after.records["tls.crt"]!).checkHost("eu-records")).toBe("eu-records");
  });
});

test("an authority that cannot be read is an error, and nothing is replaced", async () => {
  const { keep, kept } = keeper();
  const { records } = await keep();
  kept.set("authority", { "ca.crt": "x", "ca.key": "y" });
  await expect(keep(1)).rejects.toThrow("no start line");
  expect(kept.get("records")).toEqual(records);
});

describe("an authority that ends", () => {
  const ENDS_SOON = 725;

  test("is succeeded by one that is trusted for a day before it signs: any two parts can always connect", async () => {
    const { keep } = keeper();
    const steps = [];
    for (let days = 0; days <= 1000; days = days < ENDS_SOON || days > ENDS_SOON + 3 ? days + 25 : days + 1) {
      // Twice, as two jobs that run one after the other.
      await keep(days);
      steps.push({ days, ...(await keep(days)) });
    }
    const signers = [...new Set(steps.map(({ authority }) => authority["ca.crt"]))];
    expect(signers).toHaveLength(2);
    for (const [at, { days, records, authority }] of steps.entries()) {
      expect(daysLeft(records["tls.crt"], days)).toBeGreaterThan(25);
      expect(daysLeft(authority["ca.crt"], days)).toBeGreaterThan(90);
      // A part that has read its files again connects to one that has not, and the other way round.
      const earlier = steps[Math.max(0, at - 1)]!;
      const changed =
        earlier.records["ca.crt"] !== records["ca.crt"] || earlier.records["tls.crt"] !== records["tls.crt"];
      if (!changed) continue;
      expect([days, believe(earlier.records, steps[at]!.carrier)]).toEqual([days, true]);
      expect([days, believe(records, earlier.carrier)]).toEqual([days, true]);
    }
    const believed = steps.map(({ records }) => certificatesIn(records["ca.crt"]).length);
    expect([believed[0], Math.max(...believed), believed.at(-1)]).toEqual([1, 2, 1]);
  });
});
