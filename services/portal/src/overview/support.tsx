import type { SubscriptionHealth } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { ComponentChildren } from "preact";
import { BarChart } from "../page/bar-chart.js";
import { Fact } from "../page/table.js";
import { type DayOfRecords, MAX_OF_DAY } from "./day-counts.js";

// Records counts up to one more.
const MAX_DRAFTS = 1_000;

/** For support: the shipments and labels of 30 days, and what may need attention. */
export function SupportFigures(props: {
  base: string;
  days: readonly DayOfRecords[];
  drafts: number;
  hasLabels: boolean;
  /** Undefined if it could not be read. */
  health: readonly SubscriptionHealth[] | undefined;
}) {
  const { base, days, drafts, hasLabels, health = [] } = props;
  const failing = health.filter(({ state }) => state === "failing").length;
  const givenUp = health.reduce((sum, one) => sum + (one.givenUp ?? 0), 0);
  const voided = days.reduce((sum, day) => sum + day.voided, 0);
  return (
    <>
      <h2>Shipments in the last 30 days</h2>
      <dl class="figures">
        {hasLabels && (
          <Figure name="Shipments without a label" href={`${base}/shipments?status=draft`}>
            {drafts > MAX_DRAFTS ? `more than ${number(MAX_DRAFTS)}` : number(drafts)}
          </Figure>
        )}
        {hasLabels && (
          <Figure name="Labels voided, of the last 30 days" href={`${base}/labels?status=voided`}>
            {number(voided)}
          </Figure>
        )}
        {props.health && (
          <Figure name="Failing endpoints" href={`${base}/webhooks`}>
            {number(failing)}
          </Figure>
        )}
        {props.health && (
          <Figure name="Events given up, in the last 30 days" href={`${base}/webhooks`}>
            {number(givenUp)}
          </Figure>
        )}
      </dl>
      <h3>Shipments created per day</h3>
      <BarChart
        label="Shipments created per day"
        unit="day"
        most={MAX_OF_DAY}
        kinds={[{ name: "Shipments", tone: "good" }]}
        bars={days.map(({ at, shipments }) => ({ at, counts: [shipments] }))}
      />
      {hasLabels && (
        <>
          <h3>Labels created per day</h3>
          <BarChart
            label="Labels created per day"
            unit="day"
            most={MAX_OF_DAY}
            kinds={[
              { name: "Labels", tone: "good" },
              { name: "Voided since", tone: "danger" },
            ]}
            bars={days.map(({ at, labels, voided }) => ({ at, counts: [labels, voided] }))}
          />
        </>
      )}
    </>
  );
}

function Figure({ name, href, children }: { name: string; href: string; children: ComponentChildren }) {
  return (
    <div>
      <Fact name={name}>
        <a href={href}>{children}</a>
      </Fact>
    </div>
  );
}

const number = (value: number) => value.toLocaleString("en");
