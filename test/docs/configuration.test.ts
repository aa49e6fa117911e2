import { readFileSync } from "node:fs";
import { join } from "node:path";
import { carrierSettings } from "@shipping/carrier/config";
import { gatewaySettings } from "@shipping/gateway/config";
import { recordsSettings } from "@shipping/records/config";
import { trackingSettings } from "@shipping/tracking/config";
import { webhooksSettings } from "@shipping/webhooks/config";

const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
const parts = { gatewaySettings, recordsSettings, carrierSettings, trackingSettings, webhooksSettings };

// For tests of crashes only.
const NOT_FOR_OPERATORS = ["FAULT_FILE"];

test.each(Object.entries(parts))("docs/configuration.md has every key of %s", (_, { shape }) => {
  const keys = Object.keys(shape).filter((key) => !NOT_FOR_OPERATORS.includes(key));
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
