import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { judge } from "./conformance.js";

const judged = (origin: string) =>
  judge({
    baseUrl: `${origin}/api/v1`,
    key: "service_test_x",
    profile: "spec",
    slow: false,
    invasive: false,
    requestsPerWindow: 1_000,
    say: () => {},
  });

/** Judges a site that answers like that. */
async function judgedSite(answer: RequestListener): Promise<unknown> {
  const site = createServer(answer).listen(0, "127.0.0.1");
  await once(site, "listening");
  try {
    return await judged(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
  } finally {
    site.closeAllConnections();
    site.close();
  }
}

test("a site that answers every path with a page is not judged, and nothing is written to it", async () => {
  const methods: (string | undefined)[] = [];
  const result = judgedSite((request, response) => {
    methods.push(request.method);
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
  });
  await expect(result).rejects.toThrow(
    "GET /account answered 200 without JSON, so this is not the API: check the base URL",
  );
  expect(methods).toEqual(["GET"]);
});

test("a response without end is read until it is larger than any of the API", async () => {
  const result = judgedSite((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024))) {}
    };
    response.on("drain", more);
    more();
  });
  await expect(result).rejects.toThrow("GET /account got no response: its body is larger than 33554432 bytes");
});

test("a port that fetch refuses to call is named as one", async () => {
  await expect(judged("http://127.0.0.1:1")).rejects.toThrow("GET /account got no response: bad port");
});
