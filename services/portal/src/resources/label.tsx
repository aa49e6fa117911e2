import { newId } from "@shipping/kit/ids";
import { LatestChange, readHistory, Timeline } from "../events/history.js";
import { Confirmation } from "../page/form.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { readPart, retryMissing, unlessMissing } from "../page/part.js";
import { readFormId, writeByForm } from "../page/read-form.js";
import { Breadcrumb, Id, Text } from "../page/text.js";
import { readLabel, readLabelFile, readTracking } from "../read/read-resources.js";
import { drawPage } from "./draw-page.js";
import { findShipmentsById } from "./find-resources.js";
import { LabelActions, LabelCard } from "./label-card.js";
import { Destination } from "./parcel.js";
import { Status } from "./record-table.js";

// Part of the picture's ETag: another version of the renderer may draw a label differently.
const RENDERER = "pdfium-2.1.13";

const NO_PICTURE = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="288" height="432" viewBox="0 0 288 432">
<rect width="288" height="432" fill="#f5f6f8"/>
<g font-family="sans-serif" font-size="15" fill="#1b1f27" text-anchor="middle">
<text x="144" y="206">This label cannot be displayed.</text><text x="144" y="230">Download the PDF instead.</text></g></svg>
`);

export async function showLabel(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment } = request;
  const read = await readLabel(deps, request, request.id);
  const { label } = read;
  const [tracking, history, shipments] = await Promise.all([
    readPart(request, (part) => readTracking(deps, part, label.tracking_number)),
    readHistory(deps, request, read.history),
    readPart(request, (part) => findShipmentsById(deps, part, [label.shipment_id])),
  ]);
  const shipment = unlessMissing(shipments)?.get(label.shipment_id);
  const base = `${AREA_PATH}/${environment}`;
  const page = htmlPage(
    "Label",
    <>
      <Breadcrumb list={`${base}/labels`}>Labels</Breadcrumb>
      <h1>
        Label {label.tracking_number} <Status status={label.status} />
      </h1>
      <LatestChange {...history} />
      <p>
        For shipment <Id href={`${base}/shipments/${label.shipment_id}`}>{label.shipment_id}</Id>
        {shipment?.to && (
          <span class="sub">
            <Text>{shipment.reference}</Text> to <Text>{shipment.to.name}</Text>, <Destination to={shipment.to} />
          </span>
        )}
      </p>
      <LabelActions label={label} request={request} />
      <LabelCard {...read} tracking={tracking} environment={environment} />
      <h2>History</h2>
      <Timeline {...history} request={request} />
    </>,
  );
  return retryMissing(page, request, [tracking, history.keys, history.outcomes, shipments]);
}

/** `print` is a flag, so its value is ignored. */
export const fileQuery = { print: { maxLength: 10 } };

/** `GET …/labels/{id}/file`: the PDF to save, or with `?print` for the browser to show, which can print it. */
export async function downloadLabel(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const body = await readLabelFile(deps, request, request.id);
  const saved = !request.query.has("print") && { name: `label-${request.id}.pdf` };
  return { content: async () => ({ type: "application/pdf", body, ...saved }) };
}

/** `GET …/labels/{id}/picture`: the first page of the PDF as PNG, or a picture that says that it cannot be drawn. */
export async function showPicture(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const pdf = await readLabelFile(deps, request, request.id);
  return {
    etag: `"${request.id}-${RENDERER}"`,
    async content() {
      const drawn = await drawPage(pdf);
      return drawn ? { type: "image/png", body: drawn, kept: true } : { type: "image/svg+xml", body: NO_PICTURE };
    },
  };
}

export async function confirmVoid(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const path = `${AREA_PATH}/${environment}/labels/${id}`;
  const { label } = await readLabel(deps, request, id);
  if (label.status === "voided") return { location: path };
  const shipment = (await findShipmentsById(deps, request, [label.shipment_id])).get(label.shipment_id);
  return htmlPage(
    "Void a label",
    <Confirmation
      question={`Void this ${environment} label?`}
      facts={{
        "Tracking number": <code>{label.tracking_number}</code>,
        Shipment: shipment?.to && <Text>{shipment.reference}</Text>,
        Recipient: shipment?.to && (
          <>
            <Text>{shipment.to.name}</Text>, <Destination to={shipment.to} />
          </>
        ),
      }}
      submit="Void label"
      cancel={path}
      formId={newId("form", deps.random)}
    >
      <p>
        Do not hand over a parcel with this label. Its shipment is voided too and cannot get another label: create a new
        shipment instead. The label file can no longer be downloaded. You cannot undo this.
      </p>
    </Confirmation>,
  );
}

/** `POST …/labels/{id}/void`: does what `POST /labels/{id}/void` of the API does, with a line in the audit log. */
export async function submitVoid(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const formId = readFormId(request.form);
  await readLabel(deps, request, id);
  await writeByForm(deps, request, { operation: "voidLabel", id, formId, body: {} });
  return { location: `${AREA_PATH}/${environment}/labels/${id}`, done: "label-voided" };
}
