import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as executeOnce from "@shipping/gateway/idempotency/execute-once";
import * as markDone from "@shipping/gateway/idempotency/mark-done";
import * as registry from "@shipping/gateway/idempotency/registry";
import * as resolveClaim from "@shipping/gateway/idempotency/resolve-claim";
import * as sweepClaims from "@shipping/gateway/idempotency/sweep-claims";
import { createLedger } from "@shipping/kit/ledger/ledger";
import type { Database } from "@shipping/kit/postgres/database";
import { transitions } from "./transitions.js";

const gateway = {
  ...registry,
  ...executeOnce,
  ...resolveClaim,
  ...markDone,
  ...sweepClaims,
};
const code: Record<string, unknown> = { ...gateway, ...createLedger({} as Database) };

describe("the model of the idempotency protocol", () => {
  test.each(transitions)("knows %s by its name in the code", (name) => {
    expect(code[name]).toBeInstanceOf(Function);
  });

  test("knows fence by its name in the ledger, which keeps it to itself", () => {
    const ledger = readFileSync(join(import.meta.dirname, "../../../kit/src/ledger/ledger.ts"), "utf8");
    expect(ledger).toContain("function fence(");
  });

  test("contains everything that the gateway does to a claim", () => {
    const changeNothing = [
      "clock",
      "isLive",
      "createDoneMarks",
      "toReplay",
      "startIdempotency",
      "fingerprint",
      "byKey",
      "keyColumns",
    ];
    const known: string[] = [...transitions, ...changeNothing];
    expect(Object.keys(gateway).filter((name) => !known.includes(name))).toEqual([]);
  });
});
