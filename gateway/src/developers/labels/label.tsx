import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { LabelCard } from "../resources/label-card.js";
import { Events, keyNamesOf, Timeline } from "../resources/origin.js";
import { readLabel, readTracking } from "../resources/read-resources.js";
import { Status } from "../resources/status.js";

/** `GET …/labels/{id}`. */
export async function showLabel(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session } = request;
  const read = await readLabel(deps, request, request.id);
  const { label, happenings } = read;
  const [tracking, keys] = await Promise.all([
    readTracking(deps, request, label.tracking_number),
    keyNamesOf(deps, request, happenings),
  ]);
  const base = `${AREA_PATH}/${environment}`;
  return shown(
    "Label",
    <>
      <p class="way">
        <a href={`${base}/labels`}>Labels</a>
      </p>
      <h1>
        Label {label.tracking_number} <Status status={label.status} />
      </h1>
      <p>
        For shipment{" "}
        <a href={`${base}/shipments/${label.shipment_id}`}>
          <code>{label.shipment_id}</code>
        </a>
      </p>
      <LabelCard {...read} tracking={tracking} environment={environment} mayVoid={session.role === "admin"} />
      <h2>History</h2>
      <Timeline happenings={happenings} keys={keys} environment={environment} />
      <h2>Events</h2>
      <Events happenings={happenings} />
    </>,
  );
}
