import { Command } from "commander";
import { parseDuration, sinceOption } from "./options.js";

const DAY_MS = 86_400_000;

/** Parses the value of `--since`. Throws if it is refused. */
function since(text: string): string {
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addOption(sinceOption());
  return command.parse(["--since", text], { from: "user" }).opts().since;
}

test.each([
  ["90s", 90_000],
  ["15m", 900_000],
  ["24h", DAY_MS],
  ["36500d", 36_500 * DAY_MS],
])("%s lasts %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each(["", "0d", "1w", "1.5h", "36501d", `${"9".repeat(400)}d`])("%j is no duration", (text) =>
  expect(() => parseDuration(text)).toThrow("Use a whole number"),
);

test("since when is a time, or an age", () => {
  expect(since("2026-01-31T12:00:00+01:00")).toBe("2026-01-31T11:00:00.000Z");
  expect(since("9999-12-31T23:59:59Z")).toBe("9999-12-31T23:59:59.000Z");
  expect(Math.abs(Date.parse(since("7d")) + 7 * DAY_MS - Date.now())).toBeLessThan(60_000);
});

test.each([
  "yesterday",
  "2026-02-31T25:00Z",
  "+010000-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "0d",
])("%j is no time since when the database could look", (text) => expect(() => since(text)).toThrow("Use a "));
