import { inputsOf, targets } from "./targets.js";

test.each(Object.entries(targets))("%s: every known input is read as the second opinion says", async (name, target) => {
  for (const input of await inputsOf(name)) await target.check(input);
});
