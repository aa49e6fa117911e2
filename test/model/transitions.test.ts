import * as once from "@shipping/gateway/execute-once";
import * as marks from "@shipping/gateway/mark-done";
import * as replays from "@shipping/gateway/read-replay";
import * as registry from "@shipping/gateway/registry";
import * as releases from "@shipping/gateway/release-claim";
import * as resolutions from "@shipping/gateway/resolve-claim";
import * as sweeps from "@shipping/gateway/sweep-claims";
import type { Database } from "@shipping/kit/database";
import { createLedger } from "@shipping/kit/ledger";
import { transitions } from "./transitions.js";

const gateway = { ...registry, ...once, ...releases, ...resolutions, ...marks, ...replays, ...sweeps };
const code: Record<string, unknown> = { ...gateway, ...createLedger({} as Database) };

describe("the model of the idempotency protocol", () => {
  test.each(transitions)("knows %s by the name it has in the code", (name) => {
    expect(code[name]).toBeInstanceOf(Function);
  });

  test("knows all that the gateway does to a claim", () => {
    const beside = ["clock", "createDoneMarks", "replayOf"];
    const known: string[] = [...transitions, ...beside];
    expect(Object.keys(gateway).filter((name) => !known.includes(name))).toEqual([]);
  });
});
