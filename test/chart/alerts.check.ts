import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPTIONAL_PARTS, PART_NAMES, type PartName } from "@shipping/proto/parts";
import { parse } from "yaml";
import { chart, type KubernetesObject, objectsOf, run } from "./rendered.js";

/** The alerts of a release in the namespace `trial`, without annotations, which promtool would compare too. */
function rulesOf(...set: string[]): KubernetesObject[] {
  const { spec } = objectsOf("production", ...set).find(({ kind }) => kind === "PrometheusRule");
  return spec.groups[0].rules.map(({ annotations: _, ...rule }: KubernetesObject) => rule);
}

type Labels = Record<string, string>;
const HERE = { namespace: "trial" };
const ELSEWHERE = { namespace: "staging" };

/** A series in promtool's notation, with one sample per minute. */
function series(name: string, labels: Labels, values: string) {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return { series: `${name}{${inside.join(",")}}`, values };
}

/** Asserts which of an alert's instances fire after two hours. */
function expectAlerts(alertname: string, input: ReturnType<typeof series>[], firing: Labels[]): void {
  const rules = rulesOf();
  const severity = rules.find(({ alert }) => alert === alertname)?.labels.severity;
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  const exp_alerts = firing.map((labels) => ({ exp_labels: { severity, ...labels } }));
  const alert_rule_test = [{ eval_time: "2h", alertname, exp_alerts }];
  writeFileSync(join(folder, "rules.json"), JSON.stringify({ groups: [{ name: "shipping", rules }] }));
  writeFileSync(
    join(folder, "test.json"),
    JSON.stringify({ rule_files: ["rules.json"], tests: [{ interval: "1m", input_series: input, alert_rule_test }] }),
  );
  const { status, text } = run("promtool", ["test", "rules", join(folder, "test.json")]);
  expect({ status, text }).toMatchObject({ status: 0, text: expect.stringContaining("SUCCESS") });
}

describe("ShippingErrorRate", () => {
  const requests = (labels: Labels, status: string, perMinute: number) =>
    series("http_requests_total", { ...labels, status }, `0+${perMinute}x130`);

  test("fires for a release one in ten of whose requests fails, however many of others succeed", () => {
    const input = [
      requests({ ...HERE, part: "gateway" }, "200", 9),
      requests({ ...HERE, part: "gateway" }, "503", 1),
      requests({ ...ELSEWHERE, part: "gateway" }, "200", 100_000),
      requests({ ...HERE, job: "another-program" }, "200", 100_000),
    ];
    expectAlerts("ShippingErrorRate", input, [{ ...HERE, part: "gateway" }]);
  });

  test("fires for the portal, however many requests to the API succeed", () => {
    const input = [
      requests({ ...HERE, part: "portal" }, "500", 1),
      requests({ ...HERE, part: "portal" }, "200", 9),
      requests({ ...HERE, part: "gateway" }, "200", 100_000),
    ];
    expectAlerts("ShippingErrorRate", input, [{ ...HERE, part: "portal" }]);
  });

  test("is silent while only another program's requests fail", () => {
    const input = [
      requests({ ...HERE, part: "gateway" }, "200", 10),
      requests({ ...HERE, job: "another-program" }, "500", 1_000),
    ];
    expectAlerts("ShippingErrorRate", input, []);
  });

  test("is silent while an account sends more than it may, or live keys ask for a carrier", () => {
    const input = ["200", "account_queue", "carrier_not_configured"].map((status) =>
      requests({ ...HERE, part: "gateway" }, status, 10),
    );
    expectAlerts("ShippingErrorRate", input, []);
  });
});

test("ShippingSlow fires for the release that is slow, and counts no other program's requests", () => {
  const took = (labels: Labels, fast: number, all: number) => [
    series("http_request_duration_seconds_bucket", { ...labels, le: "2.5" }, `0+${fast}x130`),
    series("http_request_duration_seconds_bucket", { ...labels, le: "5" }, `0+${all}x130`),
    series("http_request_duration_seconds_bucket", { ...labels, le: "+Inf" }, `0+${all}x130`),
  ];
  const input = [
    ...took({ ...HERE, part: "gateway" }, 900, 1_000),
    ...took({ ...HERE, part: "portal" }, 100_000, 100_000),
    ...took({ ...ELSEWHERE, part: "gateway" }, 100_000, 100_000),
    ...took({ ...HERE, job: "another-program" }, 100_000, 100_000),
  ];
  expectAlerts("ShippingSlow", input, [{ ...HERE, part: "gateway" }]);
});

describe("ShippingMailsFail", () => {
  const mails = (labels: Labels, result: string, perMinute: number) =>
    series("mails_total", { ...labels, part: "portal", result }, `0+${perMinute}x130`);
  const elsewhere = [mails(ELSEWHERE, "failed", 0), mails(ELSEWHERE, "refused", 1), mails(ELSEWHERE, "sent", 10)];

  test.each([
    ["some fail", "failed", 10],
    ["all are refused", "refused", 0],
  ])(
    "fires for a release of whose emails %s, and not for one that sends all but those to unknown recipients",
    (_case, result, sent) => {
      expectAlerts("ShippingMailsFail", [mails(HERE, result, 1), mails(HERE, "sent", sent), ...elsewhere], [HERE]);
    },
  );
});

test("ShippingMailsWait fires for the release that sends none of the emails that wait, and not for one with a single slow recipient", () => {
  const mails = (labels: Labels, oldest: string, perMinute: number) => [
    series("mails_oldest_waiting_seconds", { ...labels, part: "portal" }, oldest),
    series("mails_total", { ...labels, part: "portal", result: "sent" }, `0+${perMinute}x130`),
  ];
  const input = [...mails(HERE, "0+60x130", 0), ...mails(ELSEWHERE, "0+60x130", 1)];
  expectAlerts("ShippingMailsWait", input, [HERE]);
});

test("ShippingProxyFails fires for the release whose proxy takes no deliveries, and not for receivers that cannot be reached", () => {
  const attempts = (labels: Labels, outcome: string) =>
    series("webhooks_attempts_total", { ...labels, part: "webhooks", outcome }, "0+1x130");
  const input = [attempts(HERE, "proxy"), attempts(ELSEWHERE, "connection"), attempts(ELSEWHERE, "delivered")];
  expectAlerts("ShippingProxyFails", input, [HERE]);
});

describe("ShippingPartGone", () => {
  const facts: { name: string; gauge: string }[] = parse(readFileSync(join(chart, "files/parts.yaml"), "utf8"));
  const gauges = Object.fromEntries(facts.map(({ name, gauge }) => [name, gauge]));
  const pods = (labels: Labels & { part: PartName }, values = "10x130") => series(gauges[labels.part]!, labels, values);

  test("is silent while each part has a pod", () => {
    const input = PART_NAMES.map((part) => pods({ ...HERE, part, pod: `${part}-1` }));
    expectAlerts("ShippingPartGone", input, []);
  });

  test.each(PART_NAMES)("fires when the last pod of %s is gone, even if another release has some", (gone) => {
    const input = PART_NAMES.flatMap((part) => [
      pods({ ...HERE, part, pod: `${part}-1` }, part === gone ? "10x20 stale" : "10x130"),
      pods({ ...ELSEWHERE, part, pod: `${part}-1` }),
    ]);
    expectAlerts("ShippingPartGone", input, [{ ...HERE, part: gone }]);
  });
});

test("ShippingPartGone does not miss parts that are turned off", () => {
  const { spec } = objectsOf("api-only").find(({ kind }) => kind === "PrometheusRule");
  const [gone] = spec.groups[0].rules.filter(({ alert }: KubernetesObject) => alert === "ShippingPartGone");
  const named = [...gone.expr.matchAll(/part="(\w+)"/g)].map(([, part]) => part);
  expect(named).toEqual(PART_NAMES.filter((part) => !OPTIONAL_PARTS.some((one) => one === part)));
});

describe("ShippingChangesWait", () => {
  const waits = (labels: Labels, values: string) => series("changes_oldest_waiting_seconds", labels, values);
  const portal = series("database_pool_max", { ...HERE, part: "portal" }, "10x130");
  const webhooks = { ...HERE, part: "webhooks" };

  test("fires for the part whose changes the portal has not stored for minutes, and not for others", () => {
    const input = [portal, waits(webhooks, "0+60x130"), waits({ ...HERE, part: "gateway" }, "4x130")];
    expectAlerts("ShippingChangesWait", input, [webhooks]);
  });

  test("is silent in an installation without a portal, where no program reads them", () => {
    expectAlerts("ShippingChangesWait", [waits(webhooks, "0+60x130")], []);
  });
});

describe("ShippingCertificateEnds", () => {
  const thresholdOf = (...set: string[]) =>
    /< (\d+)$/.exec(rulesOf(...set).find(({ alert }) => alert === "ShippingCertificateEnds")?.expr)?.[1];

  test.each([
    ["2160h", "720h", 7 * 86_400],
    ["720h", "240h", 60 * 3_600],
    ["96h", "48h", 12 * 3_600],
  ])(
    "with certificates for %s, renewed %s before their end, fires %d seconds before it, after renewal was due",
    (duration, renewBefore, seconds) => {
      expect(thresholdOf(`tls.duration=${duration}`, `tls.renewBefore=${renewBefore}`)).toBe(String(seconds));
    },
  );

  test("fires for a part whose certificate is not renewed, and not for one that has just been", () => {
    const day = 86_400;
    const ends = (part: string, days: number) =>
      series("tls_certificate_not_after_seconds", { ...HERE, part }, `${days * day}x130`);
    expectAlerts("ShippingCertificateEnds", [ends("records", 6), ends("carrier", 8)], [{ ...HERE, part: "records" }]);
  });
});

describe("ShippingStreamOfAnother", () => {
  const webhooks = { ...HERE, part: "webhooks" };

  test("fires for the installation whose stream is another's, and for the one that events of another reach", () => {
    const input = [
      series("bus_stream_of_another", { ...webhooks, pod: "a" }, "1x130"),
      series("bus_stream_of_another", { ...ELSEWHERE, part: "webhooks" }, "0x130"),
      series("webhooks_events_foreign_total", { ...ELSEWHERE, part: "webhooks" }, "0+1x130"),
    ];
    expectAlerts("ShippingStreamOfAnother", input, [webhooks, { ...ELSEWHERE, part: "webhooks" }]);
  });

  test("is silent where each has its own", () => {
    const input = [
      series("bus_stream_of_another", webhooks, "0x130"),
      series("webhooks_events_foreign_total", webhooks, "5x130"),
    ];
    expectAlerts("ShippingStreamOfAnother", input, []);
  });
});
