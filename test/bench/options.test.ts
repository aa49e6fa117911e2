import { benchOptions, measurements } from "./options.js";

test("without options everything is measured, three rounds of two seconds each", () => {
  expect(benchOptions([])).toEqual({
    measured: measurements,
    seconds: 2,
    rounds: 3,
    clients: 24,
    rate: 100,
    replicas: 1,
    check: false,
    baseline: false,
  });
});

test("--only takes several, --json a file", () => {
  const { measured, json } = benchOptions(["--only", "get,orders", "--json", "a.json"]);
  expect({ measured, json }).toEqual({ measured: ["get", "orders"], json: "a.json" });
});

test.each([
  [["--only", "gets"], /--only takes orders, .*; not "gets"/],
  [["--seconds", "0"], /--seconds takes a whole number from 1, not "0"/],
  [["--fast"], /Unknown option '--fast'/],
])("%j is refused in a sentence", (args, message) => {
  expect(() => benchOptions(args)).toThrow(message);
});
