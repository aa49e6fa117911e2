import { listenOptions } from "./listen-options.js";

test("the port is 9090 unless told otherwise", () => {
  expect(listenOptions(["--subscribe"])).toEqual({ port: 9090, secrets: [], subscribe: true });
  expect(listenOptions(["--subscribe", "--port", "0"]).port).toBe(0);
});

test("several secrets may be given", () => {
  const args = ["--secret", "whsec_one", "--secret=whsec_two", "--port=65535"];
  expect(listenOptions(args)).toEqual({ port: 65_535, secrets: ["whsec_one", "whsec_two"], subscribe: false });
});

test.each([
  [[], "Say --subscribe, or --secret"],
  [["--subscribe", "--port", "65536"], "--port takes a whole number from 0 to 65535"],
  [["--subscribe", "--port", "8e3"], "--port takes"],
  [["--subscribe", "--port="], "--port takes"],
  [["--secret", "GFn7PJ"], "--secret takes a subscription's whole secret"],
  [["--secrets", "whsec_one"], "Unknown option '--secrets'"],
  [["whsec_one"], "Unexpected argument 'whsec_one'"],
])("%j is refused with a sentence", (args, sentence) => {
  expect(() => listenOptions(args)).toThrow(sentence);
});
