import { runs } from "@shipping/kit/testing/runs";
import { runChains } from "../trials/carrier/run-chains.js";

const FLAWLESS = {
  chargedWithoutLabel: 0,
  labelsWithoutBooking: 0,
  chargedTwice: 0,
  wrongAnswers: 0,
  answersDiffer: 0,
  wrongStates: 0,
  unknownLabels: 0,
  unsettled: 0,
};

describe("a carrier that costs money, and loses, doubles, delays and refuses calls while gateways and carriers are killed", () => {
  test("charges only for existing labels, and every customer ends with one label", async () => {
    const options = { chains: runs(20), clients: 16, killEveryMs: 1_000, rate: 0.15, takesKeys: false };
    const report = await runChains(options);
    console.log(`chains: ${JSON.stringify(report)}`);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.chains).toBe(runs(20));
    expect([report.wrong, report.audit]).toEqual([[], FLAWLESS]);
  });
});
