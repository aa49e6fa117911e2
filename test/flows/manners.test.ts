import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { isPublic, parts } from "@shipping/local/parts";
import { startReceiver } from "@shipping/webhooks/testing/receiver";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import { labelInput, RECORD } from "../api/platform.js";
import {
  type ApiAnswer,
  type ApiClient,
  apiClient,
  dataOf,
  type Label,
  type Order,
  type Shipment,
} from "../platform/api-client.js";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";

const STORES = ["postgres", "nats"];
const services = parts.filter((part) => !isPublic(part));

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());
beforeEach(() => cluster.healthy());

/** Every process of a part, with the port that its log names for the platform. */
async function partsNow() {
  const processes = (await cluster.now()).processes.filter(({ name }) => !STORES.includes(name));
  return Promise.all(
    processes.map(async ({ name, pid }) => {
      const log = await readFile(join(cluster.dataDir, "logs", `${name}.log`), "utf8");
      const ports = [...log.matchAll(/"ops_port":(\d+)/g)];
      return { name, pid, opsUrl: `http://127.0.0.1:${ports.at(-1)?.[1]}` };
    }),
  );
}

const statusOf = async (url: string) => (await fetch(url, { signal: AbortSignal.timeout(5_000) })).status;

async function newApi(): Promise<ApiClient> {
  const { key } = await cluster.newCustomer();
  return apiClient(cluster.gateways[0]!, key);
}

test("a blip of PostgreSQL makes every process unready for as long, and ends none", async () => {
  const before = await partsNow();
  const unready = new Set<string>();
  // A busy machine can miss a blip, so there are more until each process has been seen.
  await eventually(async () => {
    await cluster.kill("postgres");
    await Promise.all(
      before.map(async ({ name, opsUrl }) => {
        expect(await statusOf(`${opsUrl}/livez`)).toBe(200);
        if ((await statusOf(`${opsUrl}/readyz`)) === 503) unready.add(name);
      }),
    );
    expect([...unready].sort()).toEqual(before.map(({ name }) => name).sort());
  });
  await eventually(async () => {
    for (const { opsUrl } of before) expect(await statusOf(`${opsUrl}/readyz`)).toBe(200);
  });
  expect(await partsNow()).toEqual(before);
  await cluster.healthy();
});

test("all parts stay ready in an outage of NATS: requests are answered, and their events arrive afterwards", async () => {
  const api = await newApi();
  const { pid } = await cluster.process("nats");
  process.kill(pid, "SIGSTOP");
  let order: Order;
  try {
    order = await dataOf<Order>(201, api.post("/orders", RECORD));
    // On a busy machine PostgreSQL may take too long as well, but not for as long as NATS is away.
    await eventually(async () => {
      for (const { opsUrl } of await partsNow()) expect(await statusOf(`${opsUrl}/readyz`)).toBe(200);
    });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await eventually(async () => {
    const arrived = await storedEvents(cluster.databases.webhooks);
    expect(arrived.map(({ body }) => JSON.parse(body.toString()).data.id)).toContain(order.id);
  });
});

// A connection can be closed at the moment in which its client sends: no server can prevent that.
const UNSENT = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/**
 * Sends to the gateways as a load balancer does: to the next one where the connection is refused, or is closed before the request is read. If it had
 * been read, the response of the next gateway would be a replay.
 */
async function balanced<T>(
  [first, ...others]: readonly ApiClient[],
  ask: (client: ApiClient, idempotencyKey: string) => Promise<ApiAnswer<T>>,
  idempotencyKey: string = randomUUID(),
): Promise<ApiAnswer<T>> {
  if (!first) throw new Error("No gateway listens.");
  try {
    const answer = await ask(first, idempotencyKey);
    expect(answer.headers.has("idempotency-replayed")).toBe(false);
    return answer;
  } catch (error) {
    const { cause = error } = error as { cause?: NodeJS.ErrnoException };
    if (!UNSENT.includes((cause as NodeJS.ErrnoException).code ?? "")) throw cause;
    return balanced(others, ask, idempotencyKey);
  }
}

describe("SIGTERM under load", () => {
  test.each([
    ["a gateway", ["gateway-1"]],
    ["a process of each service at once", services.map((part) => `${part}-1`)],
  ])("of %s fails no request and loses no event", async (_, names) => {
    const receiver = await startReceiver();
    const { key } = await cluster.newCustomer();
    const clients = cluster.gateways.map((gateway) => apiClient(gateway, key));
    await dataOf(
      201,
      clients[0]!.post("/webhooks", { url: receiver.url, events: ["shipment.created", "label.created"] }),
    );
    const created: string[] = [];
    let over = false;

    async function worker(number: number): Promise<void> {
      const order = number % 2 === 0 ? clients : [...clients].reverse();
      while (!over) {
        const shipment = await dataOf<Shipment>(
          201,
          balanced(order, (api, key) => api.post("/shipments", RECORD, key)),
        );
        const request = labelInput(shipment.id);
        const label = await dataOf<Label>(
          201,
          balanced(order, (api, key) => api.post("/labels", request, key)),
        );
        await dataOf(
          200,
          balanced(order, (api) => api.get(`/tracking/${label.tracking_number}`)),
        );
        created.push(shipment.id, label.id);
      }
    }

    const load = Promise.all([0, 1, 2, 3].map(worker));
    const stopped = await Promise.all(names.map(cluster.process));
    const enough = created.length + 20;
    await eventually(() => expect(created.length).toBeGreaterThan(enough));
    for (const { pid } of stopped) process.kill(pid, "SIGTERM");
    const backAgain = eventually(async () => {
      for (const { name, pid } of stopped) expect((await cluster.process(name)).pid).not.toBe(pid);
      await cluster.healthy();
    });
    await Promise.race([load, backAgain]);
    over = true;
    await load;
    await backAgain;
    await eventually(() => {
      const received = new Set(receiver.received.map(({ body }) => JSON.parse(body.toString()).data.id));
      expect(created.filter((id) => !received.has(id))).toEqual([]);
    });
    await receiver.close();
  });
});
