import { connectionError } from "@shipping/kit/postgres/outage";
import { reasonOf } from "./finding.js";

test("a reason is one line, with what caused it, and says nothing twice", () => {
  const lost = new Error("timed out\n  while connecting", { cause: new Error("hung up") });
  expect(reasonOf(lost)).toBe("timed out while connecting (hung up)");
  expect(reasonOf(connectionError(lost))).toBe("timed out while connecting (hung up)");
  expect(reasonOf(Object.assign(new Error(""), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
  expect(reasonOf("no error")).toBe("no error");
});
