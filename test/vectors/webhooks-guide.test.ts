import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nextStep } from "@shipping/webhooks/dispatch/delivery";
import { sign, signStandard } from "@shipping/webhooks/dispatch/signature";
import { FAILED_FOR_HOURS } from "@shipping/webhooks/health/claim-failing";

const folder = join(import.meta.dirname, "../../docs");
const read = (file: string) => readFileSync(join(folder, file), "utf8");

/** The code blocks of a language below a heading of a page, as they are printed. */
function blocks(file: string, heading: string, language: string): string[] {
  const section =
    read(file)
      .split(/^## /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );
}

const [snippet = ""] = blocks("webhook-signatures.md", "Service-Signature", "sh");
const secret = /^SECRET=(\S+)$/m.exec(snippet)?.[1] ?? "";

describe("the guides to webhooks", () => {
  test("their request is signed with the secret that they show", () => {
    const [request = ""] = blocks("webhooks.md", "What arrives", "http shown");
    const [head = "", body = ""] = request.trimEnd().split("\n\n");
    expect(head).toContain(`Service-Signature: ${sign(secret, 1_795_253_400, Buffer.from(body))}`);
    expect(head).toContain(`Service-Event-Id: ${JSON.parse(body).id}`);
    const standard = signStandard(secret, JSON.parse(body).id, 1_795_253_400, Buffer.from(body));
    expect(head).toContain(
      `webhook-id: ${JSON.parse(body).id}\nwebhook-timestamp: 1795253400\nwebhook-signature: ${standard}\n`,
    );
    expect(snippet).toContain(`BODY='${body}'`);
    expect(snippet).toContain(`"1795253400.$BODY"`);
    expect(Date.parse(JSON.parse(body).created_at)).toBe(1_795_253_400_000);
  });

  test("their schedule is the platform's", () => {
    const rows = [
      ...read("webhook-delivery.md").matchAll(/^\| ([2-8]) +\| (\d+) minutes? +\| (\d+) minutes? +\|$/gm),
    ].map((row) => row.slice(1).map(Number));
    let sinceFirst = 0;
    const schedule = [2, 3, 4, 5, 6, 7, 8].map((attempt) => {
      const step = nextStep(attempt - 1, false, () => 0, 1);
      const wait = step.state === "pending" ? step.waitMs / 60_000 : Number.NaN;
      sinceFirst += wait;
      return [attempt, wait, sinceFirst];
    });
    expect(rows).toEqual(schedule);
    expect(nextStep(8, false, () => 0, 1)).toEqual({ state: "exhausted" });
  });

  // `developers/failing-mail.test.ts` reads the same words in the email.
  test("the day of failures after which admins get an email is what webhooks waits for", () => {
    expect(read("webhook-subscriptions.md")).toContain(
      "When a subscription has been failing for a day, the admins of the account get one email.",
    );
    expect(FAILED_FOR_HOURS).toBe(24);
  });
});
