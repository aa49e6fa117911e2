import { gatewayConfig } from "@shipping/gateway/config";
import { publicSettings } from "@shipping/kit/http/settings";
import { portalConfig } from "@shipping/portal/config";
import { areaSettings } from "@shipping/portal/session/settings";

const env = {
  DATABASE_URL: "postgres://gateway@127.0.0.1/gateway",
  ...Object.fromEntries(
    ["GATEWAY", "RECORDS", "CARRIER", "TRACKING", "WEBHOOKS"].map((part) => [`${part}_URL`, "http://127.0.0.1:1"]),
  ),
};
const ofPortal = Object.keys(areaSettings).filter((key) => key !== "NODE_ENV" && !(key in publicSettings));

test.each(ofPortal)("a gateway refuses %s in one line that says whose setting it is now", (name) => {
  expect(() => gatewayConfig({ ...env, [name]: "x" })).toThrow(
    new RegExp(`^${name} is a setting of the portal now: set it there$`),
  );
  expect(gatewayConfig({ ...env, [name]: "" }).DATABASE_URL).toBe(env.DATABASE_URL);
});

test("a gateway refuses the former settings of the MCP server, and says what replaces them", () => {
  const line = /^MCP_ALLOW_LIVE, MCP_TOOLS are settings of the part mcp now: set them there$/;
  expect(() => gatewayConfig({ ...env, MCP_TOOLS: "read", MCP_ALLOW_LIVE: "false" })).toThrow(line);
  expect(() => gatewayConfig({ ...env, MCP: "true" })).toThrow(
    /^MCP is no longer a setting of the gateway: the chart's parts.mcp.enabled replaces it$/,
  );
});

test("several are named in the same line", () => {
  const line = /^OIDC_CLIENT_ID, MAIL_FROM are settings of the portal now: set them there$/;
  expect(() => gatewayConfig({ ...env, MAIL_FROM: "a@b.example", OIDC_CLIENT_ID: "x" })).toThrow(line);
});

test.each([
  ["a gateway", gatewayConfig],
  ["a portal", portalConfig],
])("%s refuses the former switch of the developer area, and says what replaces it", (_, read) => {
  const line = /^DEVELOPER_AREA is no longer a setting: the chart's parts.portal.enabled replaces it$/;
  expect(() => read({ ...env, DEVELOPER_AREA: "true" })).toThrow(line);
});
