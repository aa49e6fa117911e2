import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type HandlerContext } from "@connectrpc/connect";
import { parseTimeout } from "@connectrpc/connect/protocol-connect";
import { type CallRequest, type CallResponse, CallResponseSchema } from "@shipping/proto/shipping/batch/v1/batch_pb";
import { MAX_BATCH_CALLS, readElements, unreadable } from "./batch.js";
import { type BatchAnswer, type BatchCall, decodeCall } from "./batch-codec.js";
import { failedCall, type UnaryMethods } from "./methods.js";
import { MAX_TIMER_MS, TIMEOUT_HEADER, type UnaryAnswer } from "./protocol.js";

/** How long a batch that is refused as a whole waits for its answer. */
const REFUSED_MS = 1_000;

/** Waits before such a refusal. None of our parts sends such a batch, and a client that does cannot keep the process busy with it. */
export function holdBack(): Promise<void> {
  return pause(REFUSED_MS, undefined, { ref: false });
}

/** The calls of a `CallRequest`. If there are too many, the batch is refused before the next call is read. */
export function callsIn(bytes: Buffer): BatchCall[] {
  const calls: BatchCall[] = [];
  const elements = readElements((element) => {
    calls.push(callIn(element));
    checkCount(calls.length);
  });
  elements.take(bytes);
  if (!elements.isWhole()) throw unreadable();
  checkCount(calls.length);
  return calls;
}

function callIn(element: Buffer): BatchCall {
  try {
    return decodeCall(element);
  } catch (error) {
    throw unreadable(error);
  }
}

function checkCount(calls: number): void {
  if (calls > MAX_BATCH_CALLS) {
    throw new ConnectError(`a batch holds at most ${MAX_BATCH_CALLS} calls`, Code.ResourceExhausted);
  }
  if (calls === 0) throw new ConnectError("a batch holds at least one call", Code.InvalidArgument);
}

/** Answers the call at index `at` of its batch as if it had come alone. */
export async function answerCall(
  methods: UnaryMethods,
  call: BatchCall,
  values: ContextValues,
  at: number,
): Promise<BatchAnswer> {
  return messageOf(at, await answerTo(methods, call, values));
}

async function answerTo(methods: UnaryMethods, call: BatchCall, values: ContextValues): Promise<UnaryAnswer> {
  try {
    const method = methods.get(call.path);
    if (!method) throw new ConnectError(`There is no ${call.path}.`, Code.Unimplemented);
    return await method(new Headers(call.headers), call.message, values);
  } catch (error) {
    return failedCall(error);
  }
}

function messageOf(call: number, { status, type, body, headers = {} }: UnaryAnswer): BatchAnswer {
  return { call, status, contentType: type, body, headers };
}

/** `BatchService.Call` as the library serves it, to clients of gRPC and of JSON: it answers once all its calls are answered. */
export function batchCall(methods: UnaryMethods) {
  return async ({ calls }: CallRequest, { values }: Pick<HandlerContext, "values">): Promise<CallResponse> => {
    try {
      checkCount(calls.length);
    } catch (error) {
      await holdBack();
      throw error;
    }
    const answers = calls.map((call, at) => inTime(call, at, answerCall(methods, call, values, at)));
    return create(CallResponseSchema, { answers: await Promise.all(answers) });
  };
}

/** Returns the answer, or, at the call's own deadline, an error instead, so that the call holds up the others no longer. */
function inTime({ headers }: BatchCall, at: number, answer: Promise<BatchAnswer>): Promise<BatchAnswer> {
  const { timeoutMs } = parseTimeout(headers[TIMEOUT_HEADER] ?? null, MAX_TIMER_MS);
  if (timeoutMs === undefined) return answer;
  const late = new ConnectError("the operation timed out", Code.DeadlineExceeded);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(messageOf(at, failedCall(late))), Math.min(timeoutMs, MAX_TIMER_MS));
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
