import { Command } from "commander";
import { benchOptions, measurements } from "./options.js";

/** Reads a line with a command that throws where another ends the process. */
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
  const { measured, rows, json } = read(["--only", "get,orders", "--rows", "1000,5000000", "--json", "a.json"]);
  expect({ measured, rows, json }).toEqual({ measured: ["get", "orders"], rows: [1000, 5_000_000], json: "a.json" });
});

test.each([
  [["--only", "gets"], /option '--only <names>' argument 'gets' is invalid. There is no "gets"/],
  [["--seconds", "0"], /option '--seconds <n>' argument '0' is invalid. Use a whole number of 1 or more/],
  [["--rows", "1000,many"], /argument '1000,many' is invalid. Use a whole number of 1 or more/],
  [["--soak", "long"], /argument 'long' is invalid. Use a whole number of 1 or more/],
  [["--fast"], /unknown option '--fast'/],
])("%j is refused in a sentence", (args, message) => {
  expect(() => read(args)).toThrow(message);
});
