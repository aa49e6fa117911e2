import { Command } from "commander";
import { listenOptions } from "./listen-options.js";

/** Parses a command line; an invalid one throws instead of ending the process. */
const read = (args: string[]) =>
  listenOptions(args, new Command().exitOverride().configureOutput({ writeErr: () => {} }));

test("the port is 9090 by default", () => {
  expect(read(["--subscribe"])).toEqual({ port: 9090, secrets: [], subscribe: true });
  expect(read(["--subscribe", "--port", "0"]).port).toBe(0);
});

test("several secrets may be given", () => {
  const args = ["--secret", "whsec_one", "--secret=whsec_two", "--port=65535"];
  expect(read(args)).toEqual({ port: 65_535, secrets: ["whsec_one", "whsec_two"], subscribe: false });
});

test.each([
  [[], "use --subscribe, or --secret"],
  [["--subscribe", "--port", "65536"], "argument '65536' is invalid. Use a whole number from 0 to 65535."],
  [["--subscribe", "--port", "8e3"], "option '--port <n>' argument '8e3' is invalid"],
  [["--subscribe", "--port="], "option '--port <n>' argument '' is invalid"],
  [["--secret", "GFn7PJ"], "Give the complete secret of a subscription"],
  [["--secrets", "whsec_one"], "unknown option '--secrets'"],
  [["--subscribe", "whsec_one"], "too many arguments"],
])("%j is refused with a sentence", (args, sentence) => {
  expect(() => read(args)).toThrow(sentence);
});
