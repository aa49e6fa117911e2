import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nextStep } from "@shipping/webhooks/dispatch/delivery";

const docs = join(import.meta.dirname, "../../docs");
const read = (file: string) => readFileSync(join(docs, file), "utf8");
const minutesIn = (texts: readonly string[]) => texts.map((text) => Number.parseInt(text, 10) || 0);

/** The waits between the attempts of a delivery that fails, in minutes, as the dispatcher has them. */
const waits: number[] = [];
for (let attempt = 1; ; attempt++) {
  const step = nextStep(attempt, false, () => 0, 1);
  if (step.state !== "pending") break;
  waits.push(step.waitMs / 60_000);
}
const since = [0];
for (const wait of waits) since.push((since.at(-1) ?? 0) + wait);

describe("the picture of the retries", () => {
  const picture = read("figures/retries.svg");
  const textsAt = (y: number) =>
    [...picture.matchAll(/<text [^>]*\by="(\d+)">([^<]*)<\/text>/g)].flatMap(([, at, text = ""]) =>
      Number(at) === y ? [text] : [],
    );

  test("has the attempts, the waits and the minutes of the dispatcher", () => {
    expect(minutesIn(textsAt(95))).toEqual(since.map((_minutes, index) => index + 1));
    expect(minutesIn(textsAt(62))).toEqual(waits);
    expect(minutesIn(textsAt(130))).toEqual(since);
  });

  test("has the same minutes as its text alternative, and as the table below it", () => {
    const page = read("webhook-delivery.md");
    const [alternative = ""] = /!\[[^\]]*\]\(figures\/retries\.svg\)/.exec(page) ?? [];
    expect(minutesIn(alternative.match(/\d+/g) ?? [])).toEqual([...waits, since.at(-1)]);
    const rows = [...page.matchAll(/^\| (\d) +\| (\d+) minutes? +\| (\d+) minutes? +\|$/gm)];
    expect(rows.map(([, attempt, wait, total]) => minutesIn([attempt!, wait!, total!]))).toEqual(
      waits.map((wait, index) => [index + 2, wait, since[index + 1]]),
    );
  });
});
