import { Code, ConnectError } from "@connectrpc/connect";
import { fail, toConnectError } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { createLog } from "@shipping/kit/process/log";
import pg from "pg";
import { noteFailure, toFailure } from "./send-answer.js";

test("what an outage or a bug was is logged, what a service refused is not", () => {
  const lines: string[] = [];
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(line) } });
  const note = (error: unknown) => noteFailure(log, { requestId: "req_a" }, error).code;
  expect(note(toConnectError(fail("label_exists")))).toBe("label_exists");
  expect(lines).toEqual([]);
  expect(note(new DatabaseOutage(new Error("gone"), false))).toBe("service_unavailable");
  expect(note(new TypeError("a bug"))).toBe("internal_error");
  expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(["gone", "a bug"]);
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

  test.each([true, false])(
    "an outage of the database is one, whether the statement may have run (%p) or not",
    (mayHaveRun) => {
      expect(toFailure(new DatabaseOutage(new Error("secret detail"), mayHaveRun)).code).toBe("service_unavailable");
    },
  );

  test.each([
    Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code: "42703" }),
    new Error("Connection terminated unexpectedly by secret detail"),
    new TypeError("secret detail"),
    Object.assign(new TypeError("secret detail"), { code: "ERR_INVALID_ARG_TYPE" }),
    "thrown text",
    undefined,
  ])("%s is a bug, and says nothing", (error) => {
    const failure = toFailure(error);
    expect(failure.code).toBe("internal_error");
    expect(failure.message).not.toMatch("secret");
  });
});
