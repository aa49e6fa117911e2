import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Text } from "../page/text.js";
import { LabelCard } from "../resources/label-card.js";
import { Events, keyNamesOf, Timeline } from "../resources/origin.js";
import { ParcelDetails } from "../resources/parcel.js";
import { readLabel, readShipment, readTracking } from "../resources/read-resources.js";
import { Status } from "../resources/status.js";

/** `GET …/shipments/{id}`: the shipment with its label, and what became of it. */
export async function showShipment(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const { shipment, happenings } = await readShipment(deps, request, request.id);
  const labelled = shipment.label_id === undefined ? undefined : await readLabel(deps, request, shipment.label_id);
  const tracking = labelled && (await readTracking(deps, request, labelled.label.tracking_number));
  const all = [...happenings, ...(labelled?.happenings ?? [])];
  const keys = await keyNamesOf(deps, request, all);
  const base = `${AREA_PATH}/${environment}`;
  return shown(
    "Shipment",
    <>
      <p class="way">
        <a href={`${base}/shipments`}>Shipments</a>
      </p>
      <h1>
        <Text>{shipment.reference}</Text> <Status status={shipment.status} />
      </h1>
      <dl>
        <dt>Shipment</dt>
        <dd>
          <code>{shipment.id}</code>
        </dd>
        {shipment.order_id !== undefined && (
          <>
            <dt>Order</dt>
            <dd>
              <a href={`${base}/orders/${shipment.order_id}`}>
                <code>{shipment.order_id}</code>
              </a>
            </dd>
          </>
        )}
      </dl>
      <h2>History</h2>
      <Timeline happenings={all} keys={keys} environment={environment} />
      <h2>Label</h2>
      {labelled ? (
        <LabelCard
          {...labelled}
          tracking={tracking}
          environment={environment}
          mayVoid={session.role === "admin"}
          linked
        />
      ) : (
        <p>
          No label yet. Your program <a href="/docs/quick-start">requests rates and creates a label</a> through the API.
        </p>
      )}
      <ParcelDetails {...shipment} />
      <h2>Events</h2>
      <Events happenings={all} />
    </>,
  );
}
