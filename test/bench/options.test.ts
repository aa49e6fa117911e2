import { benchOptions, measurements } from "./options.js";

test("without options everything is measured, three rounds of two seconds each", () => {
  expect(benchOptions([])).toEqual({
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
  const { measured, rows, json } = benchOptions(["--only", "get,orders", "--rows", "1000,5000000", "--json", "a.json"]);
  expect({ measured, rows, json }).toEqual({ measured: ["get", "orders"], rows: [1000, 5_000_000], json: "a.json" });
});

test.each([
  [["--only", "gets"], /--only takes orders, .*; not "gets"/],
  [["--seconds", "0"], /--seconds takes a whole number from 1, not "0"/],
  [["--rows", "1000,many"], /--rows takes a whole number from 1, not "many"/],
  [["--soak", "long"], /--soak takes a whole number from 1, not "long"/],
  [["--fast"], /Unknown option '--fast'/],
])("%j is refused in a sentence", (args, message) => {
  expect(() => benchOptions(args)).toThrow(message);
});
