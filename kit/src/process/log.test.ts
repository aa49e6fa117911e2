import fc from "fast-check";
import { secretTexts } from "../testing/secret-texts.js";
import { COMMANDING, createLog, onceAMinute, printable } from "./log.js";

function capture(): { lines: string[]; write(line: string): void } {
  const lines: string[] = [];
  return { lines, write: (line) => void lines.push(line) };
}

describe("createLog", () => {
  test("writes one JSON line with part, level, time and fields", () => {
    const destination = capture();
    createLog({ part: "records", destination }).info({ method: "GET", status: 200 }, "request");
    expect(destination.lines).toHaveLength(1);
    const line = JSON.parse(destination.lines[0]!);
    expect(line).toMatchObject({ part: "records", level: "info", method: "GET", status: 200, msg: "request" });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test("lines of requests and of attempts have levels of their own, beside the rest", () => {
    const written = (options: Omit<Parameters<typeof createLog>[0], "part">) => {
      const destination = capture();
      const log = createLog({ part: "x", destination, ...options });
      for (const message of ["request", "rpc", "attempt", "serving"]) {
        log.info({ status: 200 }, message);
        log.warn({ status: 500 }, message);
      }
      log.child({ a: 1 }).info("child");
      return destination.lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level} ${msg}`);
    };
    const [request, attempt] = [
      ["warn request", "warn rpc"],
      ["info attempt", "warn attempt"],
    ];
    const rest = ["info serving", "warn serving", "info child"];
    expect(written({ levels: { requests: "warn" } })).toEqual([...request, ...attempt, ...rest]);
    expect(written({ level: "warn", levels: { attempts: "info" } })).toEqual([...request, ...attempt, "warn serving"]);
    expect(written({ levels: { requests: "silent", attempts: "silent" } })).toEqual(rest);
  });

  test("the level can be the severity that Google Cloud's collectors know", () => {
    const destination = capture();
    const log = createLog({ part: "x", destination, field: "severity" });
    for (const level of ["info", "warn", "error", "fatal"] as const) log[level]("said");
    const severities = destination.lines
      .map((line) => JSON.parse(line))
      .map(({ severity, level }) => [severity, level]);
    expect(severities.map(([severity]) => severity)).toEqual(["INFO", "WARNING", "ERROR", "CRITICAL"]);
    expect(severities.every(([, level]) => level === undefined)).toBe(true);
  });

  test("an error is logged with type, message, code, stack and cause, and without other properties", () => {
    const destination = capture();
    const cause = Object.assign(new TypeError("deep"), { client: { password: "hunter2" } });
    const err = Object.assign(new Error("lost", { cause }), { code: "57P01", client: { password: "hunter2" } });
    createLog({ part: "x", destination }).error({ err }, "query failed");
    const line = JSON.parse(destination.lines[0]!);
    expect(line.err).toMatchObject({ type: "Error", message: "lost", code: "57P01", cause: { type: "TypeError" } });
    expect(destination.lines[0]).not.toContain("hunter2");
  });

  test("redacts secrets, and authorization headers and passwords in URLs", () => {
    const destination = capture();
    const log = createLog({ part: "x", destination });
    log.error({
      err: new Error("could not sign with whsec_abc-DEF_123"),
      headers: { Authorization: 'Basic "quoted"', authorization: "Bearer service_test_zzz" },
      url: "postgres://records:hunter2@127.0.0.1:5432/records",
    });
    log.info("Bearer abc.def was sent");
    const text = destination.lines.join("");
    for (const secret of ["abc-DEF", "zzz", "hunter2", "quoted", "abc.def"]) expect(text).not.toContain(secret);
    expect(text).toContain("whsec_[redacted]");
    expect(text).toContain("postgres://records:[redacted]@127.0.0.1:5432/records");
  });

  test("redacts every key and secret, whatever characters surround it, in any field and message", () => {
    fc.assert(
      fc.property(secretTexts, ({ text, hidden }) => {
        const destination = capture();
        const log = createLog({ part: "x", destination });
        log.warn({ path: text, list: [{ [text]: text }], err: new Error(text) }, text);
        expect(destination.lines.join("")).not.toContain(hidden);
        expect(() => JSON.parse(destination.lines.join(""))).not.toThrow();
      }),
    );
  });

  test("escapes characters that control a terminal, and loses no text", () => {
    const destination = capture();
    const reason = "\u001b[2J\u009b2J\u007f\u202e";
    createLog({ part: "x", destination }).warn({ reason }, "refused");
    expect(destination.lines[0]).toMatch(/^[^\p{Cc}\u202e]+\n$/u);
    expect(JSON.parse(destination.lines[0]!).reason).toBe(reason);
  });
});

describe("a text for a terminal", () => {
  test.each([
    ["escape sequences", "\u001b]52;c;ZXZpbA==\u0007", "\\u001b]52;c;ZXZpbA==\\u0007"],
    ["their one-character forms", "\u009b31m\u007f", "\\u009b31m\\u007f"],
    ["a line that is written over", "Acme\r\tEvil\b\0", "Acme\\u000d\\u0009Evil\\u0008\\u0000"],
    [
      "another direction",
      "\u202eg\u202c \u2066\u2069\u200e\u200f\u061c",
      "\\u202eg\\u202c \\u2066\\u2069\\u200e\\u200f\\u061c",
    ],
  ])("shows %s instead of obeying", (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(text.replace(COMMANDING, "")).not.toMatch(COMMANDING);
  });

  test("is otherwise as it was: lines, letters of every script, symbols of several characters", () => {
    const text = "Rød & Søn\nשלום 你好 👩‍🚀 ⟨U+202E⟩ \\u001b\n";
    expect(printable(text)).toBe(text);
  });

  test("keeps the value of JSON", () => {
    const value = { name: "a\u009b\u007f\u202e\n\u001b" };
    expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value);
  });
});

test("a repeated text is logged once a minute, each text on its own", () => {
  const clock = jest.spyOn(performance, "now");
  const shouldLog = onceAMinute();
  const shouldLogAt = (second: number, text: string) => {
    clock.mockReturnValue(second * 1_000);
    return shouldLog(text);
  };
  expect([0, 1, 59, 60, 61, 119, 120].map((second) => shouldLogAt(second, "one"))).toEqual([
    ...[true, false, false, true],
    ...[false, false, true],
  ]);
  expect([shouldLogAt(121, "another"), shouldLogAt(121, "one")]).toEqual([true, false]);
  clock.mockRestore();
});
