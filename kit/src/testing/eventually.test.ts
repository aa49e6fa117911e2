import { eventually } from "./eventually.js";

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
