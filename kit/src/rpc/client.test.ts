import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { failureIn } from "../errors.js";
import { eventually } from "../testing/eventually.js";
import { closedPort, empty, readRequest as read, rpcTestbed } from "../testing/rpc-testbed.js";

const { serving, misbehaving, clientTo, onEnd, ends } = rpcTestbed();
// Connect's adapter logs an error for each client that hangs up, because it does not recognize Node's errors in Jest's realm.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
afterEach(ends);

const write = (key?: string) => ({ ...read(key), token: 1n });
const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("connectTo", () => {
  test("spreads calls over all its IP addresses", async () => {
    const counts = [0, 0];
    const servers = await Promise.all([0, 1].map((index) => serving(() => counts[index]!++)));
    const client = clientTo(servers.map(({ url }) => url).join(","));
    for (let call = 0; call < 10; call++) await client.read(read());
    expect(counts).toEqual([5, 5]);
  });

  test("the calls of one turn of the event loop go to one of them, those of the next to the next", async () => {
    const counts = [0, 0];
    const servers = await Promise.all([0, 1].map((index) => serving(() => counts[index]!++)));
    const client = clientTo(servers.map(({ url }) => url).join(","));
    await client.read(read());
    const seen: number[][] = [];
    for (const calls of [20, 20, 200]) {
      counts.fill(0);
      await Promise.all(Array.from({ length: calls }, () => client.read(read())));
      seen.push([...counts].sort((a, b) => a - b));
    }
    // If there are more calls than a batch holds, the replicas get batches in turn.
    expect(seen).toEqual([
      [0, 20],
      [0, 20],
      [72, 128],
    ]);
  });

  test("a replica that refuses the connection costs no call", async () => {
    const { url } = await serving(() => {});
    const client = clientTo(`http://127.0.0.1:${await closedPort()},${url}`);
    for (let call = 0; call < 4; call++) expect(await client.read(read())).toEqual(empty());
  });

  test("without a replica for a second, a call fails with a certain service_unavailable, because it was not sent", async () => {
    const begun = performance.now();
    const error = await caught(clientTo(`http://127.0.0.1:${await closedPort()}`).read(read()));
    expect(failureIn(error)?.code).toBe("service_unavailable");
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  test("a write whose connection breaks is sent once, and its outcome is unknown", async () => {
    const broken = await misbehaving((stream) => stream.session?.destroy());
    const { url } = await serving(() => {});
    const error = await caught(clientTo(`${broken.url},${url}`).resolve(write()));
    expect(error).toBeDefined();
    expect(failureIn(error)).toBeUndefined();
    expect(broken.calls).toEqual(["Resolve"]);
  });

  test("a read whose connection breaks is sent once more, to another replica", async () => {
    const broken = await misbehaving((stream) => stream.session?.destroy());
    const { url } = await serving(() => {});
    expect(await clientTo(`${broken.url},${url}`).read(read())).toEqual(empty());
    expect(broken.calls).toEqual(["Read"]);
  });

  test("a call that is sent once more has only the remaining time", async () => {
    const breaksAfterMs = 60;
    const broken = await misbehaving((stream) => setTimeout(() => stream.session?.destroy(), breaksAfterMs));
    const { url, timeouts } = await misbehaving((stream) => stream.close());
    await caught(clientTo(`${broken.url},${url}`).read(read(), { timeoutMs: 5_000 }));
    expect(timeouts).toEqual([expect.any(Number)]);
    expect(timeouts[0]).toBeLessThanOrEqual(5_000 - breaksAfterMs + 1);
  });

  test("a write that is refused as REFUSED_STREAM is sent to one other replica, and no third time", async () => {
    const refuse = (stream: http2.ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    const refusing = await Promise.all([misbehaving(refuse), misbehaving(refuse), misbehaving(refuse)]);
    const error = await caught(clientTo(refusing.map(({ url }) => url).join(",")).resolve(write()));
    expect(failureIn(error)?.code).toBe("service_unavailable");
    expect(refusing.map(({ calls }) => calls.length)).toEqual([1, 1, 0]);

    const { url } = await serving(() => {});
    await clientTo(`${refusing[0]?.url},${url}`).resolve(write());
  });
});

describe("connectTo, when replicas come and go", () => {
  test("a stopping replica gets no more calls, long before its connections close", async () => {
    const taken: string[] = [];
    const [stopping, staying] = [await serving((key) => taken.push(key)), await serving(() => {})];
    const client = clientTo(`${stopping.url},${staying.url}`);
    await client.read(read("before"));
    await client.read(read("before"));
    const stopped = stopping.stop(500);
    await eventually(async () => {
      taken.length = 0;
      for (let call = 0; call < 4; call++) await client.read(read());
      expect(taken).toEqual([]);
    });
    await stopped;
  });

  test("the only one keeps its calls until it closes: it still answers", async () => {
    const server = await serving(() => {});
    const client = clientTo(server.url);
    await client.read(read());
    const stopped = server.stop(200);
    expect(await client.read(read())).toEqual(empty());
    await stopped;
  });

  test("calls continue without an error while replicas stop and start again", async () => {
    const servers = [await serving(() => {}), await serving(() => {})];
    const client = clientTo(servers.map(({ url }) => url).join(","));
    let over = false;
    let calls = 0;
    const load = (async () => {
      for (; !over; calls++) await client.resolve(write(String(calls)));
    })();
    for (const { port, stop } of servers) {
      await stop(100);
      const before = calls;
      let back = 0;
      await serving(() => back++, port);
      await eventually(() => expect(back).toBeGreaterThan(0));
      expect(calls).toBeGreaterThan(before);
    }
    over = true;
    await load;
  });

  test("a call waits for a replica that returns at the same IP address", async () => {
    const first = await serving(() => {});
    const client = clientTo(first.url);
    let stop = first.stop;
    await client.read(read());
    await eventually(async () => {
      await stop();
      const call = caught(client.resolve(write()));
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      // Connections are refused in the order in which they were made.
      await once(net.connect(first.port, "127.0.0.1"), "error");
      ({ stop } = await serving(() => {}, first.port));
      expect(await call).toBeUndefined();
    });
  });
});

describe("connectTo, when a replica does not answer", () => {
  /** Starts a replica behind a relay that can hold back everything, as a machine that hangs would. */
  async function behindRelay() {
    const { port } = await serving(() => {});
    const pairs: [net.Socket, net.Socket][] = [];
    let held = false;
    const relay = net.createServer((near) => {
      const far = net.connect(port, "127.0.0.1");
      pairs.push([near, far]);
      near
        .on("error", () => {})
        .pipe(far.on("error", () => {}))
        .pipe(near);
      near.on("close", () => far.destroy());
      if (held) far.pause();
    });
    await once(relay.listen(0, "127.0.0.1"), "listening");
    onEnd(() => {
      for (const [near] of pairs) near.destroy();
      relay.close();
    });
    return {
      url: `http://127.0.0.1:${(relay.address() as net.AddressInfo).port}`,
      hold: (whether: boolean) => {
        held = whether;
        for (const [, far] of pairs) whether ? far.pause() : far.resume();
      },
    };
  }

  test("for one deadline, it is skipped until its health check answers", async () => {
    const hanging = await behindRelay();
    let answered = 0;
    const { url } = await serving(() => answered++);
    const client = clientTo(`${hanging.url},${url}`);
    await client.read(read());
    await client.read(read());
    hanging.hold(true);
    const ofOneTurn = caught(client.resolve(write(), { timeoutMs: 1_000 }));
    // The second deadline belongs to another call; the call was sent within the first.
    await nextTurn();
    await nextTurn();
    const ended = [await caught(client.resolve(write(), { timeoutMs: 1_000 })), await ofOneTurn];
    expect(ended.filter(Boolean)).toEqual([expect.objectContaining({ code: Code.DeadlineExceeded })]);
    answered = 0;
    for (let call = 0; call < 6; call++) await client.read(read(), { timeoutMs: 5_000 });
    expect(answered).toBe(6);

    hanging.hold(false);
    await eventually(async () => {
      answered = 0;
      for (let call = 0; call < 2; call++) await client.read(read());
      expect(answered).toBe(1);
    });
  });

  test("and is the only one, calls are refused at once, as not sent", async () => {
    const hanging = await behindRelay();
    const client = clientTo(hanging.url);
    await client.read(read());
    hanging.hold(true);
    const first = await caught(client.read(read(), { timeoutMs: 300 }));
    expect(first).toMatchObject({ code: Code.DeadlineExceeded });
    const second = await caught(client.resolve(write(), { timeoutMs: 10_000 }));
    expect(failureIn(second)?.code).toBe("service_unavailable");
  });

  test("but to one call only, it stays: that call was slow, not the replica unresponsive", async () => {
    const never = new Promise(() => {});
    const { url } = await serving((key) => (key === "slow" ? never : undefined));
    const client = clientTo(url);
    await client.read(read());
    const slow = caught(client.read(read("slow"), { timeoutMs: 1_500 }));
    let over = false;
    void slow.then(() => {
      over = true;
    });
    while (!over) await client.read(read());
    expect(await slow).toMatchObject({ code: Code.DeadlineExceeded });
    expect(await client.read(read())).toEqual(empty());
  });
});
