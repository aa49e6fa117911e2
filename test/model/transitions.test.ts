import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as executeOnce from "@shipping/gateway/execute-once";
import * as markDone from "@shipping/gateway/mark-done";
import * as readReplay from "@shipping/gateway/read-replay";
import * as registry from "@shipping/gateway/registry";
import * as releaseClaim from "@shipping/gateway/release-claim";
import * as resolveClaim from "@shipping/gateway/resolve-claim";
import * as sweepClaims from "@shipping/gateway/sweep-claims";
import type { Database } from "@shipping/kit/database";
import { createLedger } from "@shipping/kit/ledger";
import { transitions } from "./transitions.js";

const gateway = {
  ...registry,
  ...executeOnce,
  ...releaseClaim,
  ...resolveClaim,
  ...markDone,
  ...readReplay,
  ...sweepClaims,
};
const code: Record<string, unknown> = { ...gateway, ...createLedger({} as Database) };

describe("the model of the idempotency protocol", () => {
  test.each(transitions)("knows %s by its name in the code", (name) => {
    expect(code[name]).toBeInstanceOf(Function);
  });

  test("knows fence by its name in the ledger, which keeps it to itself", () => {
    const ledger = readFileSync(join(__dirname, "../../kit/src/ledger.ts"), "utf8");
    expect(ledger).toContain("function fence(");
  });

  test("leaves out nothing that the gateway does to a claim", () => {
    const changeNothing = ["clock", "createDoneMarks", "replayOf"];
    const known: string[] = [...transitions, ...changeNothing];
    expect(Object.keys(gateway).filter((name) => !known.includes(name))).toEqual([]);
  });
});
