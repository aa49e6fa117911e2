import { Shipping, ShippingError, type WebhookEvent } from "shipping-client";
import type { Receiver } from "../listen/receiver.js";

/** A step did not end as the specification says. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** The steps of a demonstration: each is executed, printed as a line and checked. */
export interface DemoSteps {
  readonly count: number;
  title(text: string): void;
  /** The API as the holder of a key calls it; each request prints a line. */
  as(apiKey: string): Shipping;
  /** Expects that a call is refused with this status and code. */
  refused(call: Promise<unknown>, status: number, code: string): Promise<void>;
  /** Waits for the signed event about a resource. `since` is when it was asked for. */
  event(type: WebhookEvent["type"], resourceId: string, since: number): Promise<void>;
  check(holds: boolean, promise: string): void;
}

/** Where the steps are made. */
export interface DemoStage {
  baseUrl: string;
  receiver: Receiver;
  say(line: string): void;
}

/** Begins a demonstration. */
export function beginDemo({ baseUrl, receiver, say }: DemoStage): DemoSteps {
  let count = 0;

  async function tell(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const start = performance.now();
    const response = await fetch(input, init);
    const found = await seenIn(response.clone());
    const path = shorten(String(input).slice(baseUrl.length));
    const took = time(performance.now() - start);
    say(`  ${String(init?.method).padEnd(6)} ${path.padEnd(32)} ${response.status} ${took}   ${found}`);
    count++;
    return response;
  }

  return {
    get count() {
      return count;
    },
    title: (text) => say(`\n${text}`),
    as: (apiKey) => new Shipping({ apiKey, baseUrl, fetch: tell }),
    async refused(call, status, code) {
      const outcome = await call.catch((error: unknown) => error);
      const isRefused = outcome instanceof ShippingError && outcome.status === status && outcome.code === code;
      check(isRefused, `expected a refusal with ${status} ${code}`);
    },
    async event(type, resourceId, since) {
      const event = await receiver.waitFor((one) => one.type === type && one.data.id === resourceId);
      const after = time(event.arrivedMs - since);
      say(`  event  ${type.padEnd(32)} ok  ${after}   ${event.id}  signature verified`);
      count++;
    },
    check,
  };
}

function check(holds: boolean, promise: string): void {
  if (!holds) throw new StepFailed(promise);
}

/** The interesting part of an answer. */
async function seenIn(response: Response): Promise<string> {
  if (response.headers.get("content-type") === "application/pdf")
    return `PDF, ${(await response.arrayBuffer()).byteLength} bytes`;
  const { data, error } = JSON.parse(await response.text());
  if (error) return error.code;
  if (response.headers.has("idempotency-replayed")) return "Idempotency-Replayed: true";
  const { id, status, name, environment, service, amount, currency } = [data].flat()[0];
  return [id, status, name, environment, service, amount, currency].filter(Boolean).join("  ");
}

function shorten(path: string): string {
  return path.replace(/([a-z]{3}_[a-z2-7]{4}|TEST\d{4})[a-z2-7]{16,}/g, "$1…");
}

function time(ms: number): string {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
