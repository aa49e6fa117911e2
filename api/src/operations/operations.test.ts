import { operations } from "./operations.js";

describe("the table of routes", () => {
  test("a live key is refused a carrier where the spec says so, and nowhere else", () => {
    const refused = operations.filter((route) => route.method !== "GET" && route.needsCarrier);
    expect(refused.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /rates", "POST /labels"]);
  });

  test("every POST has a body, and every path with an id knows its form", () => {
    for (const route of operations) {
      expect("body" in route).toBe(route.method === "POST");
      expect(route.id !== undefined).toBe(route.path.includes("{"));
    }
  });
});
