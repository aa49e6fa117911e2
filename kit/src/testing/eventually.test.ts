import { eventually, withinWindow } from "./eventually.js";

describe("eventually", () => {
  test("yields the result of the first attempt that does not throw", async () => {
    let attempts = 0;
    const third = () => {
      attempts += 1;
      if (attempts < 3) throw new Error("not yet");
      return attempts;
    };
    expect(await eventually(third)).toBe(3);
  });

  test("throws the last error when the time is over", async () => {
    let attempts = 0;
    const never = async () => {
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    };
    await expect(eventually(never, { withinMs: 50 })).rejects.toThrow(/^attempt \d+$/);
    expect(attempts).toBeGreaterThan(1);
  });
});

describe("withinWindow", () => {
  const minute = (clock: () => number) => jest.spyOn(Date, "now").mockImplementation(() => clock() * 60_000);
  afterEach(() => jest.restoreAllMocks());

  test("repeats a test that failed across the end of a window, and throws if it failed within one", async () => {
    let minutes = 9;
    minute(() => minutes);
    const failAt: number[] = [];
    const run = withinWindow(10, async () => {
      failAt.push(minutes);
      minutes += 1;
      throw new Error(`at ${minutes}`);
    });
    await expect(run()).rejects.toThrow("at 11");
    expect(failAt).toEqual([9, 10]);
  });

  test("does not repeat a test that passed, whatever the clock says", async () => {
    let minutes = 9;
    minute(() => minutes);
    const run = jest.fn(async () => {
      minutes += 10;
    });
    await withinWindow(10, run)();
    expect(run).toHaveBeenCalledTimes(1);
  });
});
