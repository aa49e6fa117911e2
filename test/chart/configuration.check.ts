import { carrierSettings } from "@shipping/carrier/config";
import { adminSettings } from "@shipping/cli/platform/config";
import { gatewaySettings } from "@shipping/gateway/config";
import { mcpProcessSettings } from "@shipping/mcp/config";
import { portalSettings } from "@shipping/portal/config";
import { recordsSettings } from "@shipping/records/config";
import { trackingSettings } from "@shipping/tracking/config";
import { webhooksSettings } from "@shipping/webhooks/config";
import { type KubernetesObject, objectsOf } from "./rendered.js";

const settings = {
  gateway: gatewaySettings,
  portal: portalSettings,
  records: recordsSettings,
  carrier: carrierSettings,
  tracking: trackingSettings,
  webhooks: webhooksSettings,
  mcp: mcpProcessSettings,
};

// Settings that the chart leaves alone or replaces: an image says what it is; each part has a name in traces; a pod listens on all interfaces; a trial names its one receiver or carrier; emails are sent, not written.
const TRIAL_CARRIER = ["TRIAL_CARRIER_MODULE", "TRIAL_CARRIER_URL", "TRIAL_CARRIER_ACCOUNT"];
const NOT_FOR_A_CLUSTER = [
  "BUILD_REVISION",
  "OTEL_SERVICE_NAME",
  "HOST",
  ...TRIAL_CARRIER,
  "WEBHOOK_ALLOW_PRIVATE_TARGETS",
  "MAIL_DIR",
];
// Replaced by certificates, and by the authentication at NATS.
const TRUSTING = ["RPC_PLAINTEXT_TRUSTS_NETWORK", "NATS_ANONYMOUS_TRUSTS_NETWORK"];
// A pod has the password as a file. The other ways to authenticate to NATS and to a database have checks of their own.
const OTHER_IDENTITIES = [
  "DATABASE_URL_FILE",
  "PGUSER",
  "PGPASSWORD",
  "PGSSLMODE",
  "NATS_PASSWORD",
  "NATS_CREDENTIALS_FILE",
  "NATS_CERT_FILE",
  "NATS_KEY_FILE",
  "NATS_JETSTREAM_API_PREFIX",
];

const everything = [
  "dev.enabled=true",
  "telemetry.otlpEndpoint=http://collector.monitoring:4318",
  "telemetry.headersSecret.name=collector",
  "telemetry.resourceAttributes=k8s.cluster.name=eu",
  "logLevels.requests=warn",
  "logLevels.attempts=warn",
  "logLevelField=severity",
  "parts.gateway.settings.RATE_LIMIT_PER_MINUTE=600",
  "parts.gateway.settings.CONCURRENCY_LIMIT=128",
  "parts.gateway.settings.ACCOUNT_CONCURRENCY_LIMIT=8",
  "parts.gateway.settings.ADDRESS_REQUESTS_PER_SECOND=50",
  "parts.mcp.settings.MCP_ALLOW_LIVE=false",
  "parts.mcp.settings.MCP_TOOLS=read",
  "parts.gateway.settings.REQUEST_LOG_DAYS=14",
  "publicUrl=https://api.example.com",
  "parts.portal.settings.OIDC_ISSUER=https://id.example.com",
  "parts.portal.settings.OIDC_CLIENT_ID=developers",
  "parts.portal.settings.MAIL_FROM=no-reply@example.com",
  "parts.portal.settings.SMTP_PLAINTEXT_TRUSTS_NETWORK=false",
  "nats.tlsHandshakeFirst=true",
  "nats.prefix=blue",
  "nats.jetstreamDomain=hub",
  "nats.limits.streamMaxBytes=10737418240",
  "nats.limits.duplicateWindowSeconds=60",
  "nats.limits.maxAckPending=1000",
  "nat64Prefixes[0]=64:ff9b::/96",
  "parts.webhooks.secrets.EGRESS_PROXY_URL.name=egress-proxy",
  "parts.webhooks.settings.MAX_ATTEMPTS_IN_FLIGHT=64",
  "parts.webhooks.settings.RETENTION_DAYS=60",
  "parts.webhooks.settings.CLOCK_SPEEDUP=10",
];

function environmentOf(part: string, name: string, ...set: string[]): string[] {
  const deployment = objectsOf(name, ...set).find(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name === `shipping-${part}`,
  );
  return deployment.spec.template.spec.containers[0].env.map(({ name: key }: KubernetesObject) => key);
}

test.each(Object.entries(settings))(
  "the chart can set every key of the configuration of %s, and no other",
  (part, { shape }) => {
    const keys = Object.keys(shape).filter(
      (key) => ![...NOT_FOR_A_CLUSTER, ...TRUSTING, ...OTHER_IDENTITIES].includes(key),
    );
    const set = environmentOf(part, "guarded", ...everything);
    expect(set.sort()).toEqual(keys.sort());
  },
);

test("the operator's commands find the parts, the public API and the bus, and have no database", () => {
  // A local platform's folder, a name that each operator gives, and a proxy that only webhooks uses.
  const own = ["DATA_DIR", "OPERATOR", "EGRESS_PROXY_URL"];
  const keys = Object.keys(adminSettings.shape).filter((key) => ![...own, ...TRUSTING].includes(key));
  const authority = "nats.caSecret=nats-ca";
  expect(environmentOf("operator", "guarded", ...everything, "parts.mcp.enabled=true", authority).sort()).toEqual(
    keys.sort(),
  );
  expect(environmentOf("operator", "production").filter((key) => key.includes("DATABASE"))).toEqual([]);
});

test.each(Object.keys(settings))("no switch for trials reaches %s in production", (part) => {
  const switches = [
    "WEBHOOK_ALLOW_TARGETS",
    "CLOCK_SPEEDUP",
    "SMTP_PLAINTEXT_TRUSTS_NETWORK",
    ...TRUSTING,
    ...NOT_FOR_A_CLUSTER,
  ];
  expect(environmentOf(part, "production").filter((key) => switches.includes(key))).toEqual([]);
});
