import { readCorpus } from "./corpus.js";
import { targets } from "./targets.js";

test.each(Object.entries(targets))("%s: every kept input is read as the second opinion says", async (name, target) => {
  const inputs = await readCorpus(name);
  expect(inputs.length).toBeGreaterThan(0);
  for (const input of inputs) await target.check(input);
});
