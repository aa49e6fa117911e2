import { DatabaseOutage } from "../postgres/outage.js";
import { describeError } from "./finding.js";

test("a reason is one line that includes its cause, without repetition", () => {
  const lost = new Error("timed out\n  while connecting", { cause: new Error("hung up") });
  expect(describeError(lost)).toBe("timed out while connecting (hung up)");
  expect(describeError(new DatabaseOutage(lost, false))).toBe("timed out while connecting (hung up)");
  expect(describeError(Object.assign(new Error(""), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
  expect(describeError("no error")).toBe("no error");
});
