import { Command } from "commander";
import { benchOptions, measurements } from "./options.js";

/** Parses a line with a command that throws instead of ending the process. */
const read = (args: string[]) =>
  benchOptions(args, new Command().exitOverride().configureOutput({ writeErr: () => {} }));

test("without options everything is measured, three rounds of two seconds each", () => {
  expect(read([])).toEqual({
    measured: measurements,
    seconds: 2,
    rounds: 3,
    clients: 24,
    rate: 100,
    replicas: 1,
    tls: false,
    rows: [],
    soak: 0,
    deliveries: 1_000_000,
    check: false,
    baseline: false,
    profile: false,
  });
});

test("--only and --rows take several, --json a file", () => {
  const { measured, json } = read(["--only", "get,orders", "--json", "a.json"]);
  expect({ measured, json }).toEqual({ measured: ["get", "orders"], json: "a.json" });
  expect(read(["--rows", "1000,5000000"]).rows).toEqual([1000, 5_000_000]);
});

test.each([
  [["--only", "gets"], /option '--only <names>' argument 'gets' is invalid. There is no "gets"/],
  [["--seconds", "0"], /option '--seconds <n>' argument '0' is invalid. Use a whole number of 1 or more/],
  [["--rows", "1000,many"], /argument '1000,many' is invalid. Use a whole number of 1 or more/],
  [["--soak", "long"], /argument 'long' is invalid. Use a whole number of 1 or more/],
  [["--rows", "1000", "--soak", "60"], /option '--rows <sizes>' cannot be used with option '--soak <seconds>'/],
  [["--soak", "60", "--check"], /option '--soak <seconds>' cannot be used with option '--check'/],
  [["--rows", "1000", "--only", "get"], /option '--rows <sizes>' cannot be used with option '--only <names>'/],
  [["--check", "--baseline"], /option '--check' cannot be used with option '--baseline'/],
  [["--fast"], /unknown option '--fast'/],
])("%j is refused in a sentence", (args, message) => {
  expect(() => read(args)).toThrow(message);
});
