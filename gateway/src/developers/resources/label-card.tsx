import type { Environment } from "@shipping/kit/caller";
import type { z } from "zod";
import type { tracking as trackingSchema } from "../../api/resources.js";
import { AREA_PATH } from "../page/page.js";
import { Fact, Note, Time } from "../page/text.js";
import type { ReadLabel } from "../read/read-resources.js";
import { Status } from "./record-table.js";

interface Card extends ReadLabel {
  tracking: z.infer<typeof trackingSchema> | undefined;
  environment: Environment;
  mayVoid: boolean;
  linked?: true;
}

export function LabelCard({ label, rate, tracking, environment, mayVoid, linked }: Card) {
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
        </a>
      )}
      <div>
        {isVoided && (
          <Note kind="danger">
            <p>This label is voided. Do not use it on a parcel. Its file can no longer be downloaded.</p>
          </Note>
        )}
        <dl>
          <Fact name="Label">
            {linked ? (
              <a href={path}>
                <code>{label.id}</code>
              </a>
            ) : (
              <code>{label.id}</code>
            )}{" "}
            <Status status={label.status} />
          </Fact>
          <Fact name="Carrier">
            <code>{label.carrier}</code>
          </Fact>
          <Fact name="Rate">{rate ? <Rate {...rate} /> : "Not recorded for this label"}</Fact>
          <Fact name="Charged">{money(label.charge)}</Fact>
          <Fact name="Tracking number">
            <code>{label.tracking_number}</code>
          </Fact>
          <Fact name="Tracking">
            {tracking ? (
              <>
                <Status status={tracking.status} /> since <Time at={new Date(tracking.updated_at)} />
                <span class="sub">No scans. The sandbox does not simulate them.</span>
              </>
            ) : (
              "Not available yet"
            )}
          </Fact>
        </dl>
        {!isVoided && (
          <div class="actions">
            <a class="button" href={`${path}/file`} download={`label-${label.id}.pdf`}>
              Download PDF
            </a>
            {mayVoid && (
              <a class="danger-link" href={`${path}/void`}>
                Void label
              </a>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

function Rate({ id, service, currency, amount, test }: NonNullable<ReadLabel["rate"]>) {
  return (
    <>
      {money({ currency, amount })} <code>{service}</code>
      {test && <span class="sub">Test rate, not an offer</span>}
      <code class="sub">{id}</code>
    </>
  );
}

const money = ({ currency, amount }: { currency: string; amount: number }) =>
  new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" }).format(amount);
