import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@shipping/kit/ids";
import { openCarrier } from "../simulator/adapter.js";
import { NOWHERE, startSimulator } from "../simulator/simulator.js";
import { contract, shipmentTo, type Trial } from "./contract.js";

let folder: string;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-carrier-"));
  simulator = await startSimulator({ port: 0, file: join(folder, "ledger") });
});
afterAll(async () => {
  await simulator.stop();
  await rm(folder, { recursive: true });
});

const trialOf = (keys: string): Trial => ({
  carrier: openCarrier(`${simulator.url}?keys=${keys}`),
  newShipment: (city) => shipmentTo(newId("shp", randomBytes), city),
  newKey: () => newId("bkg", randomBytes),
  refusedCity: NOWHERE,
});

const behave = (behaviour: object) =>
  fetch(`${simulator.url}/behaviour`, { method: "PUT", body: JSON.stringify(behaviour) });
const promises = contract.map(({ promise, run }) => [promise, run] as const);

describe.each(["taken", "ignored"])("the adapter of a carrier by which keys are %s", (keys) => {
  beforeAll(() => behave({ takesKeys: keys === "taken" }));

  test.each(promises)("%s", (_, run) => run(trialOf(keys)));
});

describe("the contract is broken by an adapter", () => {
  const broken: [string, string, (carrier: Trial["carrier"]) => Partial<Trial["carrier"]>][] = [
    ["whose rates are everybody's", "its rates are", () => ({ offers: () => true })],
    ["that finds nothing", "what it has booked", () => ({ find: async () => [] })],
    [
      "whose tracking numbers have spaces",
      "a booking has",
      ({ book }) => ({ book: async (...asked) => ({ ...(await book(...asked)), trackingNumber: "1Z 999" }) }),
    ],
    ["that cancels nothing", "what is cancelled", () => ({ cancel: async () => {} })],
    [
      "that says it takes keys, and sends none",
      "booking twice",
      ({ book }) => ({ book: (_, ...rest) => book(newId("bkg", randomBytes), ...rest) }),
    ],
    ["whose calls take longer than a customer waits", "its name is", () => ({ callMs: 20_000 })],
  ];

  test.each(broken)("%s", async (_, promise, change) => {
    await behave({ takesKeys: true });
    const trial = trialOf("taken");
    const check = contract.find((one) => one.promise.startsWith(promise));
    const broken = { ...trial.carrier, ...change(trial.carrier) };
    await expect(check?.run({ ...trial, carrier: broken })).rejects.toMatchObject({ code: "ERR_ASSERTION" });
  });
});
