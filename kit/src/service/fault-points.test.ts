import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { createLocalBus } from "../events/bus.js";
import type { Ledger } from "../ledger/ledger.js";
import { ConfigError } from "../process/config.js";
import { silentLog } from "../process/log.js";
import { inProcess } from "../rpc/server.js";
import {
  busWithFaultPoints,
  type FaultPoints,
  ledgerWithFaultPoints,
  readFaultPoints,
  transportWithFaultPoints,
} from "./fault-points.js";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-fault-points-"));
  file = join(folder, "fault");
});
afterEach(() => rm(folder, { recursive: true }));

describe("readFaultPoints", () => {
  test("there are none without the setting, and none in production", () => {
    expect(readFaultPoints({})).toBeUndefined();
    expect(() => readFaultPoints({ FAULT_FILE: file, NODE_ENV: "production" })).toThrow(ConfigError);
  });

  test("a point that was not asked for is passed, and the file stays", async () => {
    const faultPoints = readFaultPoints({ FAULT_FILE: file });
    faultPoints?.at("after-commit");
    await writeFile(file, "before-send CreateOrder\n");
    faultPoints?.at("after-commit");
    expect(existsSync(file)).toBe(true);
  });

  test("the point that was asked for ends the process that passes it first, once", async () => {
    await writeFile(file, "after-commit\n");
    const killed = jest.spyOn(process, "kill").mockReturnValue(true);
    const faultPoints = readFaultPoints({ FAULT_FILE: file });
    faultPoints?.at("after-commit");
    faultPoints?.at("after-commit");
    expect(killed.mock.calls).toEqual([[process.pid, "SIGKILL"]]);
    expect(await readdir(folder)).toEqual([`fault.${process.pid}`]);
    killed.mockRestore();
  });
});

describe("the seams", () => {
  const passed: string[] = [];
  const faultPoints: FaultPoints = { at: (point) => void passed.push(point) };
  beforeEach(() => void passed.splice(0));

  test("without fault points nothing is wrapped", () => {
    const bus = createLocalBus();
    expect(busWithFaultPoints(bus, undefined)).toBe(bus);
    const transport = inProcess(() => {}, silentLog());
    expect(transportWithFaultPoints(transport, undefined)).toBe(transport);
    const ledger = {} as Ledger;
    expect(ledgerWithFaultPoints(ledger, undefined)).toBe(ledger);
  });

  test("an operation's statement passes before-statement and after-commit", async () => {
    const inside = async () => {
      passed.push("statement");
      return {} as never;
    };
    const ledger = ledgerWithFaultPoints(
      { execute: inside, executeCreations: inside } as unknown as Ledger,
      faultPoints,
    );
    await ledger.executeCreations([], sql``);
    await ledger.execute([], sql``);
    const once = ["before-statement", "statement", "after-commit"];
    expect(passed).toEqual([...once, ...once]);
  });

  test("a publication passes before-publish and after-publish", async () => {
    const bus = createLocalBus();
    await bus.subscribe({ durable: "t", onEvent: async () => void passed.push("taken"), onDeadLetter: async () => {} });
    await busWithFaultPoints(bus, faultPoints).publish({ id: "evt_1" } as never);
    expect(passed).toEqual(["before-publish", "taken", "after-publish"]);
  });
});
