import { choosePart, PUBLIC_PATHS, toPath } from "./public-paths.js";

const partOf = (target: string | undefined) => choosePart(toPath(target));

describe("the part that answers a request target", () => {
  test.each([
    ...["/", "/?q=1", "/llms.txt", "/llms-full.txt", "/style.css?v=1", "/code.js", "/favicon.ico", "/favicon.svg"],
    ...["/docs", "/docs/", "/docs?q=1", "/docs/search?q=/api/v1", "/docs//x", "/docs/../api/v1/orders", "/docs/%2e%2e"],
    ...["/developers", "/developers/", "/developers/sandbox/keys", "/developers/nothing"],
    ...["http://a.example/", "HTTPS://a.example:1/docs", "http://[::1/developers?x"],
  ])("%s is the portal", (target) => {
    expect(partOf(target)).toBe("portal");
  });

  test.each(["/mcp", "/mcp/", "/mcp?x=1", "http://a.example/mcp", "/register"])("%s is the MCP server", (target) => {
    expect(partOf(target)).toBe("mcp");
  });

  test.each([
    ...[
      "/api",
      "/api/v1/orders",
      "/api/v1/orders?next=/docs",
      "/mcp/x",
      "/register/",
      "/MCP",
      "/metrics",
      "/nothing",
      "/orders",
      "/.env",
    ],
    // These begin like a path of the portal, and are others.
    ...[
      "/docs.",
      "/docs..",
      "/docs./",
      "/docsx",
      "/docs;x",
      "/docs&/",
      "/developers.",
      "/llms",
      "/llms.txt/",
      "/llms.txt.",
    ],
    ...["/style.css/", "/code.js.map", "/favicon.ico/x", "/favicon.png"],
    // A path is compared as it is written.
    ...[
      "/Docs",
      "/DEVELOPERS/",
      "/LLMS.TXT",
      "//docs",
      "//",
      "/./docs",
      "/x/../docs",
      "/%64ocs",
      "/docs%2f",
      "/docs%2f..",
    ],
    ...["/docs%3fx", "/docs%00", "\\docs", "/docs\\x"],
    // These are no paths, or no origin comes before them.
    ...[
      "*",
      "",
      "docs",
      "?",
      "/docs#x",
      "/docs x",
      "/docs\t",
      "ftp://a.example/docs",
      "//a.example/docs",
      "a.example:443",
    ],
    ...["http://", "http://a.example", "http://a.example?x", "http:/docs", "http://a.example//docs"],
  ])("%j is the gateway", (target) => {
    expect(partOf(target)).toBe("gateway");
  });
});

test("the last rule has every other path, and no rule has a path that another one of its kind has", () => {
  expect(PUBLIC_PATHS.at(-1)).toEqual({ path: "/", match: "prefix", part: "gateway" });
  expect(new Set(PUBLIC_PATHS.map(({ path, match }) => `${match} ${path}`)).size).toBe(PUBLIC_PATHS.length);
});

describe("the path of a request target", () => {
  test.each([
    [undefined, "/"],
    ["/docs?q=%20", "/docs?q=%20"],
    ["https://a.example:8443/docs?q#", "//"],
    ["https://a.example:8443/docs?q", "/docs?q"],
    ["http://a.example", "//"],
    ["*", "//"],
    ["/a\u00a0b", "//"],
  ])("%j is %j", (target, path) => {
    expect(toPath(target)).toBe(path);
  });
});
