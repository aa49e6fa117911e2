import type { ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, fail, toConnectError } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { createLog } from "@shipping/kit/process/log";
import pg from "pg";
import { Outage } from "../service-clients/outage.js";
import { noteFailure, refuse, toFailure } from "./send-answer.js";

describe("refuse", () => {
  function refused(failure: Failure) {
    const sent = { headers: {}, status: 0, body: "" };
    const response = {
      setHeader: (name: string, value: string) => Object.assign(sent.headers, { [name]: value }),
      writeHead: (status: number, headers: object) => {
        Object.assign(sent, { status });
        Object.assign(sent.headers, headers);
      },
      end: (body: string) => Object.assign(sent, { body }),
    };
    refuse(response as unknown as ServerResponse, failure, "req_a");
    return { ...sent, error: JSON.parse(sent.body).error };
  }

  test.each([
    ["unauthorized", { "WWW-Authenticate": "Bearer" }],
    ["idempotency_in_progress", { "Retry-After": "1" }],
    ["rate_limited", { "Retry-After": "60" }],
    ["service_unavailable", { "Retry-After": "5" }],
    ["not_found", {}],
  ] as const)("%s has these headers besides those of every answer: %j", (code, expected) => {
    const { headers, status, body, error } = refused(fail(code));
    const every = { "content-type": "application/json", "content-length": body.length, "cache-control": "no-store" };
    expect(headers).toEqual({ ...every, ...expected });
    expect(status).toBe(fail(code).status);
    expect(error).toEqual({ code, message: fail(code).message, request_id: "req_a" });
  });

  test("only a 422 names fields", () => {
    const fields = [{ path: "a", message: "is missing" }];
    expect(refused(fail("invalid_request", "Wrong.", fields)).error).toMatchObject({ fields });
    expect(refused(fail("bad_request", "Wrong.", fields)).error).not.toHaveProperty("fields");
  });
});

test("what an outage or a bug was is logged, what a service refused is not", () => {
  const lines: string[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(line) } });
  const noted: Parameters<typeof noteFailure>[1] = { requestId: "req_a" };
  const note = (error: unknown) => noteFailure(log, noted, error).code;
  expect(note(toConnectError(fail("label_exists")))).toBe("label_exists");
  expect(noted).toEqual({ requestId: "req_a", errorCode: "label_exists" });
  expect(note(fail("service_unavailable"))).toBe("service_unavailable");
  expect(note(Object.assign(fail("label_exists"), { cause: new Error("a reason") }))).toBe("label_exists");
  expect(lines).toEqual([]);
  expect(note(new Outage("account_queue", { cause: new Error("behind it") }))).toBe("service_unavailable");
  expect(noted).toMatchObject({ errorCode: "service_unavailable", outageCause: "account_queue" });
  expect(note(new DatabaseOutage(new Error("gone"), false))).toBe("service_unavailable");
  expect(noted).toMatchObject({ outageCause: "gateway_database" });
  expect(note(new TypeError("a bug"))).toBe("internal_error");
  expect(noted).toMatchObject({ errorCode: "internal_error", outageCause: "gateway_database" });
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(["behind it", "gone", "a bug"]);
});

describe("toFailure", () => {
  test("a refusal stays itself, also one that crossed a service boundary", () => {
    const refusal = fail("label_exists");
    expect(toFailure(refusal)).toBe(refusal);
    expect(toFailure(toConnectError(refusal))).toMatchObject({ code: "label_exists", message: refusal.message });
  });

  test.each([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown])(
    "an RPC that ended with %i and no detail is an outage",
    (code) => {
      expect(toFailure(new ConnectError("secret detail", code)).code).toBe("service_unavailable");
    },
  );

  test.each([true, false])("an outage of the database is one, also if the statement may have run: %p", (mayHaveRun) => {
    expect(toFailure(new DatabaseOutage(new Error("secret detail"), mayHaveRun)).code).toBe("service_unavailable");
  });

  test.each([
    Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code: "42703" }),
    new Error("Connection terminated unexpectedly by secret detail"),
    Object.assign(new TypeError("secret detail"), { code: "ERR_INVALID_ARG_TYPE" }),
    "thrown text",
    undefined,
  ])("%s is a bug, and exposes no details", (error) => {
    const failure = toFailure(error);
    expect(failure.code).toBe("internal_error");
    expect(failure.message).not.toMatch("secret");
  });
});
