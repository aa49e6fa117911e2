import type { tracking as trackingSchema } from "@shipping/api/resources";
import type { Environment } from "@shipping/kit/caller";
import type { z } from "zod";
import { AREA_PATH, type PageRequest } from "../page/page.js";
import { isMissing, type Part } from "../page/part.js";
import { Facts } from "../page/table.js";
import { AskLink, Id, Notice, Time } from "../page/text.js";
import type { ReadLabel } from "../read/read-resources.js";
import { Status } from "./record-table.js";

interface Card extends Pick<ReadLabel, "label" | "rate"> {
  /** Undefined if there is none yet. */
  tracking: Part<z.infer<typeof trackingSchema> | undefined>;
  environment: Environment;
  linked?: true;
}

/** The actions of a label. Renders nothing if it is voided. */
export function LabelActions({ label, request }: Pick<ReadLabel, "label"> & { request: PageRequest }) {
  if (label.status === "voided") return null;
  const { environment, session } = request;
  const path = `${AREA_PATH}/${environment}/labels/${label.id}`;
  return (
    <div class="actions">
      <a class="button" href={`${path}/file?print`} target="_blank" rel="noopener">
        Print label
      </a>
      <a class="button" href={`${path}/file`} download={`label-${label.id}.pdf`}>
        Download PDF
      </a>
      <span class="hint">Print at 100 % (4 × 6 inches), without “fit to page”.</span>
      {session.role === "admin" && (
        <AskLink class="danger-link" href={`${path}/void`}>
          Void label
        </AskLink>
      )}
    </div>
  );
}

export function LabelCard({ label, rate, tracking, environment, linked }: Card) {
  const path = `${AREA_PATH}/${environment}/labels/${label.id}`;
  const isVoided = label.status === "voided";
  return (
    <div class="label-card">
      {!isVoided && (
        <a class="picture" href={`${path}/picture`}>
          <img
            src={`${path}/picture`}
            width="288"
            height="432"
            loading="lazy"
            alt={`Shipping label with tracking number ${label.tracking_number}`}
          />
          <span class="hint on-paper">
            This is the label’s real size, 4 × 6 inches, if you print at 100 %. For the parcel, print its PDF, which is
            sharper.
          </span>
        </a>
      )}
      <div>
        {isVoided && (
          <Notice kind="danger">
            This label is voided. Do not use it on a parcel. Its file can no longer be downloaded.
          </Notice>
        )}
        <Facts
          facts={{
            "Tracking number": <Id>{label.tracking_number}</Id>,
            Tracking: <Tracking tracking={tracking} />,
            Label: (
              <>
                <Id {...(linked && { href: path })}>{label.id}</Id> <Status status={label.status} />
              </>
            ),
            Carrier: <Coded code={label.carrier} />,
            Rate: rate ? <Rate {...rate} /> : "Not stored for this label",
            Charged: money(label.charge),
          }}
        />
      </div>
    </div>
  );
}

function Tracking({ tracking }: Pick<Card, "tracking">) {
  if (isMissing(tracking)) return <>Cannot be shown: the service is not responding.</>;
  if (!tracking) return <>Not available yet</>;
  return (
    <>
      <Status status={tracking.status} /> since <Time at={tracking.updated_at} />
      <span class="sub">No scans. The sandbox does not simulate them.</span>
    </>
  );
}

function Rate({ id, service, currency, amount, test }: NonNullable<ReadLabel["rate"]>) {
  return (
    <>
      {money({ currency, amount })} <Coded code={service} />
      {test && <span class="sub">Test rate, not a real quote</span>}
      <span class="sub">
        <Id>{id}</Id>
      </span>
    </>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  service_sandbox: "Sandbox carrier",
  sandbox_standard: "Sandbox Standard",
};

/** The name of a carrier or one of its services, with the code beneath. A code without a name is shown as words. */
function Coded({ code }: { code: string }) {
  const words = code.replaceAll("_", " ");
  return (
    <>
      {NAMES[code] ?? words.charAt(0).toUpperCase() + words.slice(1)}
      <code class="sub">{code}</code>
    </>
  );
}

const money = ({ currency, amount }: { currency: string; amount: number }) =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" }).format(amount);
