import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { inDays, issueCertificate, newAuthority } from "@shipping/kit/testing/certificates";
import { withStatus } from "../testing/receiver.js";
import { describeEnd, sendingUnderTest } from "../testing/sending.js";
import { toKind, toReason } from "./failure-reason.js";

const { connectionsWith, receiverWith, post, end, atEnd } = sendingUnderTest();
afterAll(end);

/** Issues a certificate of an authority to a receiver: for that host, valid for this many days from then on. */
async function certified({ host = "localhost", fromDays = -2, days = 90, known = true } = {}) {
  const authority = await newAuthority(inDays(-400, 3250));
  const subject = { hosts: [host], uri: "spiffe://tests/receiver" };
  const tls = await issueCertificate(authority, subject, inDays(fromDays, fromDays + days));
  const { url } = await receiverWith(withStatus(204), { tls });
  return describeEnd(post(url, connectionsWith(known ? { ca: authority.cert } : {})));
}

/** Returns how an attempt ends at a server that handles each connection like this. */
async function at(handle: (socket: net.Socket) => void, scheme = "http") {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    handle(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(() => server.close());
  return describeEnd(post(`${scheme}://localhost:${(server.address() as AddressInfo).port}/`));
}

describe("the reason why a certificate is refused", () => {
  test("no reason for a valid one", async () => {
    expect(await certified()).toBe("delivered 204");
  });

  test.each([
    ["tls_expired", { fromDays: -20, days: 10 }],
    ["tls_not_yet_valid", { fromDays: 2 }],
    ["tls_wrong_name", { host: "shop.example.com" }],
    ["tls_unknown_authority", { known: false }],
  ])("%s", async (reason, certificate) => {
    expect(await certified(certificate)).toBe(reason);
  });

  test("tls_self_signed", async () => {
    const { url } = await receiverWith(withStatus(204), { tls: true });
    const { ca } = { ca: (await newAuthority(inDays(-1, 1))).cert };
    expect(await describeEnd(post(url, connectionsWith({ ca })))).toBe("tls_self_signed");
  });

  test("no certificate: a server that does not speak TLS, and one that refuses to", async () => {
    const { url } = await receiverWith(withStatus(204));
    expect(await describeEnd(post(url.replace("http:", "https:")))).toBe("tls_not_spoken");
    // These bytes are a fatal alert: handshake_failure.
    const alert = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
    expect(await at((socket) => socket.once("data", () => socket.end(alert)), "https")).toBe("tls_failed");
  });
});

describe("the reason why a connection fails", () => {
  test("closed before anything is sent, in the middle of TLS, or after the request", async () => {
    expect(await at((socket) => socket.destroy())).toBe("connection_closed");
    expect(await at((socket) => socket.once("data", () => socket.destroy()), "https")).toBe("connection_closed");
    expect(await at((socket) => socket.once("data", () => socket.resetAndDestroy()))).toBe("connection_closed");
  });

  test("an answer that is not HTTP, and one whose header has no end", async () => {
    expect(await at((socket) => socket.end("220 mail.example.com ESMTP\r\n"))).toBe("answer_not_http");
    const header = `HTTP/1.1 200 OK\r\nX-Filler: ${"x".repeat(100_000)}\r\n\r\n`;
    expect(await at((socket) => socket.once("data", () => socket.end(header)))).toBe("answer_header_too_large");
  });

  test("no route to the host, and no answer to the first packet", () => {
    const failed = (code: string) => toReason(Object.assign(new Error("connect"), { code }));
    expect([failed("EHOSTUNREACH"), failed("ENETUNREACH"), failed("ETIMEDOUT"), failed("EWHATEVER")]).toEqual([
      "connection_unreachable",
      "connection_unreachable",
      "timeout_connecting",
      "connection_failed",
    ]);
  });
});

test("each reason is of a kind that metrics know", () => {
  expect([toKind("tls_expired"), toKind("timeout_connecting"), toKind("answer_not_http")]).toEqual([
    "tls",
    "timeout",
    "connection",
  ]);
});
