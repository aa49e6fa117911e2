import { eventually, withinWindow } from "./eventually.js";

test("eventually throws the last error when the time is over", async () => {
  let attempts = 0;
  const never = async () => {
    attempts += 1;
    throw new Error(`attempt ${attempts}`);
  };
  await expect(eventually(never, { withinMs: 50 })).rejects.toThrow(/^attempt \d+$/);
  expect(attempts).toBeGreaterThan(1);
});

test("withinWindow repeats a test that failed across the end of a window, and throws if it failed within one", async () => {
  let minutes = 9;
  const clock = jest.spyOn(Date, "now").mockImplementation(() => minutes * 60_000);
  const failAt: number[] = [];
  const run = withinWindow(10, async () => {
    failAt.push(minutes);
    minutes += 1;
    throw new Error(`at ${minutes}`);
  });
  await expect(run()).rejects.toThrow("at 11");
  expect(failAt).toEqual([9, 10]);
  clock.mockRestore();
});
