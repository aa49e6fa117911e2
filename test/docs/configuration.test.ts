import { readFileSync } from "node:fs";
import { join } from "node:path";
import { carrierSettings } from "@shipping/carrier/config";
import { gatewaySettings } from "@shipping/gateway/config";
import { mcpProcessSettings } from "@shipping/mcp/config";
import { portalSettings } from "@shipping/portal/config";
import { recordsSettings } from "@shipping/records/config";
import { trackingSettings } from "@shipping/tracking/config";
import { webhooksSettings } from "@shipping/webhooks/config";

const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const parts = {
  gatewaySettings,
  portalSettings,
  recordsSettings,
  carrierSettings,
  trackingSettings,
  webhooksSettings,
  mcpProcessSettings,
};

test.each(Object.entries(parts))("docs/configuration.md has every key of %s", (_, { shape }) => {
  expect(Object.keys(shape).filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
