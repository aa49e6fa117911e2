import { randomUUID } from "node:crypto";
import { fail } from "@shipping/kit/errors";
import { BASE_PATH } from "../../api/endpoint.js";
import { shipmentInput } from "../../api/examples.js";
import { describeError } from "../platform/finding.js";
import { openLoop, percentile } from "./open-loop.js";

/** What a load was answered. */
export interface Answered {
  requests: Latency[];
  /** Requests that failed, by status and code, or by what went wrong with the connection. */
  errors: { error: string; count: number }[];
  /** Requests that were due, but not sent because every key had used up its limit. */
  held: number;
  /** Shipments that were created: they stay. */
  shipments: number;
  /** What this process used of a core: near 1, it is slower than the platform. */
  coreUsed: number;
}

/** Milliseconds from the time at which a request was due to its answer. */
export interface Latency {
  request: string;
  answered: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

const ANSWER_MS = 30_000;
const RATE_LIMIT_MS = 60_000;

/** Creates and reads sandbox shipments in equal parts, at a steady rate, as customers with these keys would. */
export async function sendRequests(at: {
  origins: readonly string[];
  keys: readonly string[];
  rate: number;
  seconds: number;
}): Promise<Answered> {
  const errors = new Map<string, number>();
  const heldUntil = at.keys.map(() => 0);
  let [turn, held, shipments, latest] = [0, 0, 0, ""];

  async function call(method: "GET" | "POST", path: string, expected: number): Promise<string> {
    turn++;
    const free = at.keys.findIndex((_, index) => heldUntil[(turn + index) % at.keys.length]! <= performance.now());
    if (free === -1) {
      held++;
      throw new Error("Every key has used up its limit.");
    }
    const key = (turn + free) % at.keys.length;
    const headers: Record<string, string> = { authorization: `Bearer ${at.keys[key]}` };
    if (method === "POST")
      Object.assign(headers, { "content-type": "application/json", "idempotency-key": randomUUID() });
    const body = method === "POST" ? shipmentBody : null;
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      const url = `${at.origins[turn % at.origins.length]}${BASE_PATH}${path}`;
      const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
      const text = await response.text();
      if (response.status === expected) return text;
      if (response.status === 429)
        heldUntil[key] = performance.now() + (Number(response.headers.get("retry-after")) * 1000 || RATE_LIMIT_MS);
      throw new Error(`${response.status} ${/"code":"(\w{1,40})"/.exec(text)?.[1] ?? ""}`.trimEnd());
    } catch (error) {
      const reason = signal.aborted ? `no answer in ${ANSWER_MS / 1000} s` : describeError(error);
      errors.set(reason, (errors.get(reason) ?? 0) + 1);
      throw new Error(reason);
    }
  }

  async function create(): Promise<void> {
    latest = /"id":"(shp_\w+)"/.exec(await call("POST", "/shipments", 201))?.[1] ?? "";
    shipments++;
  }

  // Before the load, so that a wrong address or key is one error instead of thousands.
  await create().catch(({ message }) => {
    throw fail("service_unavailable", `The first POST /shipments at ${at.origins[0]} failed: ${message}`);
  });
  const begun = performance.now();
  const before = process.cpuUsage();
  const half = { rate: at.rate / 2, seconds: at.seconds };
  const [created, read] = await Promise.all([
    openLoop(create, half),
    openLoop(() => call("GET", `/shipments/${latest}`, 200), half),
  ]);
  const { user, system } = process.cpuUsage(before);
  return {
    requests: [toLatency("POST /shipments", created.latencies), toLatency("GET /shipments/{id}", read.latencies)],
    errors: [...errors].map(([error, count]) => ({ error, count })),
    ...{ held, shipments, coreUsed: (user + system) / 1000 / (performance.now() - begun) },
  };
}

// An order of another account would be refused.
const shipmentBody = JSON.stringify({ ...shipmentInput, order_id: undefined, reference: "admin load" });

function toLatency(request: string, latencies: readonly number[]): Latency {
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((share) => percentile(latencies, share));
  return { request, answered: latencies.length, p50: p50!, p95: p95!, p99: p99!, max: max! };
}
