import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { judge } from "./conformance.js";

test("a site that answers every path with a page is not judged, and nothing is written to it", async () => {
  const methods: (string | undefined)[] = [];
  const site = createServer((request, response) => {
    methods.push(request.method);
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  try {
    const judged = judge({
      baseUrl: `http://127.0.0.1:${(site.address() as AddressInfo).port}/api/v1`,
      key: "service_test_x",
      profile: "spec",
      slow: false,
      invasive: false,
      requestsPerWindow: 1_000,
      say: () => {},
    });
    await expect(judged).rejects.toThrow(
      "GET /account answered 200 without JSON, so this is not the API: check the base URL",
    );
    expect(methods).toEqual(["GET"]);
  } finally {
    site.closeAllConnections();
    site.close();
  }
});
