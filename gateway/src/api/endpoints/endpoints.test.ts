import { routes } from "./endpoints.js";

// The spec's table, copied: method, path, scope, and the success status that the contract adds.
const TABLE = `
GET    /account                     account:read    200
POST   /orders                      orders:write    201
GET    /orders                      orders:read     200
GET    /orders/{id}                 orders:read     200
POST   /shipments                   shipments:write 201
GET    /shipments                   shipments:read  200
GET    /shipments/{id}              shipments:read  200
POST   /rates                       rates:read      200
POST   /labels                      labels:write    201
GET    /labels                      labels:read     200
GET    /labels/{id}                 labels:read     200
GET    /labels/{id}/file            labels:read     200
POST   /labels/{id}/void            labels:write    200
GET    /tracking/{tracking_number}  shipments:read  200
POST   /webhooks                    webhooks:write  201
GET    /webhooks                    webhooks:read   200
GET    /webhooks/{id}               webhooks:read   200
DELETE /webhooks/{id}               webhooks:write  200`;

describe("the table of routes", () => {
  test("is the spec's", () => {
    const rows = routes.map(({ method, path, scope, status }) => `${method} ${path} ${scope} ${status}`);
    expect(rows).toEqual(TABLE.trim().replaceAll(/ +/g, " ").split("\n"));
  });

  test("a live key is refused a carrier where the spec says so, and nowhere else", () => {
    const refused = routes.filter((route) => route.method !== "GET" && route.needsCarrier);
    expect(refused.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /rates", "POST /labels"]);
  });

  test("every POST has a body, and every path with an id knows its form", () => {
    for (const route of routes) {
      expect("body" in route).toBe(route.method === "POST");
      expect(route.id !== undefined).toBe(route.path.includes("{"));
    }
  });
});
