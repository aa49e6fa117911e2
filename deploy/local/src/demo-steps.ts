import { type ApiAnswer, type ApiCall, callApi } from "./api-caller.js";
import type { Receiver } from "./receiver.js";

/** A step ended otherwise than the specification says. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** The steps of a demonstration: each is done, told in a line and checked. */
export interface DemoSteps {
  readonly count: number;
  title(text: string): void;
  /** Calls the API and expects this status, and of a refusal this code. `show` says what is worth seeing of the answer. */
  call(call: DemoCall, status: number, show?: (answer: ApiAnswer) => string): Promise<ApiAnswer>;
  refused(call: DemoCall, status: number, code: string): Promise<void>;
  /** Waits for the signed event about a resource. `since` is when it was asked for. */
  event(type: string, resourceId: string, since: number): Promise<void>;
  check(holds: boolean, promise: string): void;
}

/** A call as the demo's account unless another key is given. */
export type DemoCall = Omit<ApiCall, "key"> & { key?: string };

/** Where the steps are made. */
export interface DemoStage {
  baseUrl: string;
  key: string;
  receiver: Receiver;
  say(line: string): void;
}

/** Begins a demonstration. */
export function beginDemo({ baseUrl, key, receiver, say }: DemoStage): DemoSteps {
  let count = 0;

  async function made(call: DemoCall, status: number, show: (answer: ApiAnswer) => string): Promise<ApiAnswer> {
    const answer = await callApi(baseUrl, { key, ...call });
    say(
      `  ${call.method.padEnd(6)} ${shorten(call.path).padEnd(32)} ${answer.status} ${time(answer.ms)}   ${show(answer)}`,
    );
    const got = `${answer.status} ${answer.json ? JSON.stringify(answer.json) : ""}`;
    check(answer.status === status, `${call.method} ${call.path} should answer ${status}, but answered ${got}`);
    count++;
    return answer;
  }

  return {
    get count() {
      return count;
    },
    title: (text) => say(`\n${text}`),
    call: (call, status, show = idAndStatus) => made(call, status, show),
    async refused(call, status, code) {
      const answer = await made(call, status, ({ json }) => json?.error?.code ?? "");
      check(answer.json?.error?.code === code, `${call.method} ${call.path} should be refused with ${code}`);
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

function idAndStatus({ json }: ApiAnswer): string {
  return [json?.data?.id, json?.data?.status].filter(Boolean).join("  ");
}

function shorten(path: string): string {
  return path.replace(/([a-z]{3}_[a-z2-7]{4}|TEST\d{4})[a-z2-7]{16,}/g, "$1…");
}

function time(ms: number): string {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
