import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { describeEnd, sendingUnderTest, sentBody } from "../testing/sending.js";
import { verifySignature } from "./signature.js";

const { connectionsWith, receiverWith, rawReceiver, post, end, atEnd } = sendingUnderTest();
afterAll(end);

describe("send", () => {
  test("POSTs the stored bytes with event id, both signatures and content type", async () => {
    const receiver = await receiverWith();
    expect(await describeEnd(post(receiver.url))).toBe("delivered 204");
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: "POST", path: "/hook?token=private", body: sentBody });
    expect(request?.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-length": String(sentBody.length),
      "service-event-id": "evt_1",
      "service-signature": expect.stringMatching(/^t=1700000000,v1=[0-9a-f]{64}$/),
      "webhook-id": "evt_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    expect(verifySignature("whsec_test", String(request?.headers["service-signature"]), sentBody, 1_700_000_000)).toBe(
      true,
    );
  });

  test("any 2xx is success, everything else a failure", async () => {
    const statuses = [200, 201, 202, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503];
    const receiver = await receiverWith((response, _received, count) => response.writeHead(statuses[count - 1]!).end());
    for (const status of statuses) {
      expect(await describeEnd(post(receiver.url))).toBe(`${status < 300 ? "delivered" : "failed"} ${status}`);
    }
  });

  test.each([302, 307])("a %d is not followed", async (status) => {
    const target = await receiverWith();
    const receiver = await receiverWith((response) => response.writeHead(status, { location: target.url }).end());
    expect(await describeEnd(post(receiver.url))).toBe(`failed ${status}`);
    expect(target.received).toHaveLength(0);
  });

  test("a switch of protocols and a closed port are failures", async () => {
    const upgrade = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    });
    const ends = await Promise.all([upgrade, "http://localhost:1/"].map((url) => describeEnd(post(url))));
    expect(ends).toEqual(["connection_closed", "connection_refused"]);
  });

  test("a slow connection is not a failure, although the host has a second IP address that refuses", async () => {
    const receiver = await receiverWith();
    const attempt = describeEnd(post(receiver.url, connectionsWith()));
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect(await attempt).toBe("delivered 204");
  });
});

describe("the ten seconds", () => {
  test("headers that do not come, or drip, are a time-out after 10 s; at 8 s they are in time", async () => {
    const hanging = await receiverWith(() => {});
    const late = await receiverWith((response) => void setTimeout(() => response.writeHead(204).end(), 8_000));
    const dripping = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 204 No Content\r\n");
      const drip = setInterval(() => socket.write("a: b\r\n"), 200);
      socket.on("close", () => clearInterval(drip));
    });
    const silent = net.createServer();
    await once(silent.listen(0, "127.0.0.1"), "listening");
    atEnd(() => silent.close());
    const handshake = `https://localhost:${(silent.address() as AddressInfo).port}/`;
    const slowNames = connectionsWith({ resolve: () => new Promise(() => {}) });

    const attempts = await Promise.all([
      post(hanging.url),
      post(dripping),
      post(handshake),
      post("https://slow.example/", slowNames),
      post(late.url),
    ]);
    expect(attempts.map(({ reason, status }) => reason ?? status)).toEqual([
      "timeout_answering",
      "timeout_answering",
      "timeout_connecting",
      "timeout_connecting",
      204,
    ]);
    for (const { ms } of attempts.slice(0, 4)) expect(ms).toBeGreaterThan(9_900);
    expect([hanging.received.length, hanging.connections()]).toEqual([1, 1]);
  });
});

describe("the rest of the answer", () => {
  test("a body that drips does not delay the outcome, and is cut off", async () => {
    let open = true;
    const receiver = await receiverWith((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("."), 50);
      response.on("close", () => {
        clearInterval(drip);
        open = false;
      });
    });
    const attempted = await post(receiver.url);
    expect([attempted.status, open]).toEqual([200, true]);
    await attempted.discarded;
    await eventually(() => expect(open).toBe(false));
  });

  test("only the beginning of an endless body is read", async () => {
    let written = 0;
    const chunk = Buffer.alloc(65_536);
    const receiver = await receiverWith((response) => {
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
      };
      response.writeHead(200).on("drain", write);
      write();
    });
    await (await post(receiver.url)).discarded;
    expect(written).toBeLessThan(50_000_000);
  });

  test.each([
    ["16 KiB are read, so that the connection is used again", 16 * 1024, 1],
    ["more is not, so that each attempt makes a connection", 16 * 1024 + 1, 3],
  ])("a body of %s", async (_case, bytes, connections) => {
    const receiver = await receiverWith((response) => response.writeHead(200).end("x".repeat(bytes)));
    const through = connectionsWith();
    for (let n = 0; n < 3; n++) await (await post(receiver.url, through)).discarded;
    expect(receiver.connections()).toBe(connections);
  });
});
