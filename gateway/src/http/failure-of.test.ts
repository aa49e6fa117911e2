import { Code, ConnectError } from "@connectrpc/connect";
import { fail, toConnectError } from "@shipping/kit/errors";
import pg from "pg";
import { failureOf } from "./failure-of.js";

function databaseError(code: string) {
  return Object.assign(new pg.DatabaseError("secret detail", 1, "error"), { code });
}

describe("failureOf", () => {
  test("a refusal stays itself, also one that crossed a service boundary", () => {
    const refusal = fail("label_exists");
    expect(failureOf(refusal)).toBe(refusal);
    expect(failureOf(toConnectError(refusal))).toMatchObject({ code: "label_exists", message: refusal.message });
  });

  test.each([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown])(
    "an RPC that ended with %i and no detail is an outage",
    (code) => {
      expect(failureOf(new ConnectError("secret detail", code)).code).toBe("service_unavailable");
    },
  );

  test.each(["57P01", "57014", "53300", "08006", "40P01"])("SQLSTATE %s is an outage", (code) => {
    expect(failureOf(databaseError(code)).code).toBe("service_unavailable");
  });

  test.each([
    Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" }),
    Object.assign(new AggregateError([], "no address answers"), { code: "ECONNREFUSED" }),
    new Error("timeout exceeded when trying to connect"),
    new Error("Connection terminated unexpectedly"),
    new Error("Query read timeout"),
  ])("%s is an outage", (error) => {
    expect(failureOf(error).code).toBe("service_unavailable");
  });

  test.each([
    databaseError("42703"),
    new TypeError("secret detail"),
    Object.assign(new TypeError("secret detail"), { code: "ERR_INVALID_ARG_TYPE" }),
    "thrown text",
    undefined,
  ])("%s is a bug, and says nothing", (error) => {
    const failure = failureOf(error);
    expect(failure.code).toBe("internal_error");
    expect(failure.message).not.toMatch("secret");
  });
});
