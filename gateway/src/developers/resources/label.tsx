import { failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { z } from "zod";
import { logVoid } from "../../accounts/audit.js";
import { answered, callOptions } from "../../service-clients/call-owner.js";
import { AccountForm, formId } from "../page/form.js";
import {
  AREA_PATH,
  callerOfPage,
  type FileAnswer,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
  shown,
} from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { writeByForm } from "../page/write-by-form.js";
import { drawPage } from "./draw-page.js";
import { requireId, shipmentsById } from "./find-resources.js";
import { Events, keyNamesOf, Timeline } from "./history.js";
import { LabelCard } from "./label-card.js";
import { shortPlace } from "./parcel.js";
import { readLabel, readTracking } from "./read-resources.js";
import { Status } from "./record-table.js";

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

// The version of the renderer: another one may draw the label differently.
const DRAWN_BY = "pdfium-2.1.13";

/** Shown where a label cannot be drawn. */
const NO_PICTURE = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="288" height="432" viewBox="0 0 288 432">
<rect width="288" height="432" fill="#f5f6f8"/>
<g font-family="sans-serif" font-size="15" fill="#1b1f27" text-anchor="middle">
<text x="144" y="206">This label cannot be displayed.</text><text x="144" y="230">Download the PDF instead.</text></g></svg>
`);

/** `GET …/labels/{id}/file`: the bytes of `GET /labels/{id}/file`, to keep. */
export async function downloadLabel(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const body = await labelFile(deps, request);
  return { content: async () => ({ type: "application/pdf", name: `label-${request.id}.pdf`, body }) };
}

/** `GET …/labels/{id}/picture`: its first page as PNG. A file that cannot be drawn has a picture that says so. */
export async function showPicture(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const pdf = await labelFile(deps, request);
  return {
    etag: `"${request.id}-${DRAWN_BY}"`,
    async content() {
      const drawn = await drawPage(pdf);
      return drawn ? { type: "image/png", body: drawn, kept: true } : { type: "image/svg+xml", body: NO_PICTURE };
    },
  };
}

async function labelFile(deps: PageDeps, request: PageRequest): Promise<Uint8Array> {
  requireId("lbl", request.id);
  const asked = { caller: callerOfPage(request), id: request.id };
  return (await answered(deps.clients.carrier.getLabelFile(asked, callOptions(request)))).pdf;
}

/** `GET …/labels/{id}/void`: asks. */
export async function confirmVoid(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, id } = request;
  const path = `${AREA_PATH}/${environment}/labels/${id}`;
  const { label } = await readLabel(deps, request, id);
  if (label.status === "voided") return { location: path };
  const shipment = (await shipmentsById(deps, request, [label.shipment_id])).get(label.shipment_id);
  return shown(
    "Void a label",
    <>
      <h1>Void this {environment} label?</h1>
      <Note kind="danger">
        <p>
          Do not hand over a parcel with this label. Its shipment is voided too and cannot get another label: create a
          new shipment instead. The label file can no longer be downloaded. You cannot undo this.
        </p>
      </Note>
      <dl>
        <dt>Tracking number</dt>
        <dd>
          <code>{label.tracking_number}</code>
        </dd>
        {shipment?.to && (
          <>
            <dt>Shipment</dt>
            <dd>
              <Text>{shipment.reference}</Text>
            </dd>
            <dt>Recipient</dt>
            <dd>
              <Text>{`${shipment.to.name}, ${shortPlace(shipment.to)}`}</Text>
            </dd>
          </>
        )}
      </dl>
      <AccountForm>
        <input type="hidden" name="form_id" value={newId("form", deps.random)} />
        <div class="actions">
          <button class="danger-action" type="submit">
            Void label
          </button>
          <a href={path}>Cancel</a>
        </div>
      </AccountForm>
    </>,
  );
}

const voidForm = z.strictObject({ form_id: formId });

/** `POST …/labels/{id}/void`: what `POST /labels/{id}/void` does, and an entry in the audit log. */
export async function submitVoid(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { environment, session, id, actor } = request;
  const { value, faults } = checkForm(voidForm, request.form);
  if (!value) throw failFields(faults);
  await readLabel(deps, request, id);
  await writeByForm(deps, request, { row: "POST /labels/{id}/void", id, formId: value.form_id, body: {} });
  const { label, happenings } = await readLabel(deps, request, id);
  const done = happenings.find(({ type }) => type === "label.voided");
  // The service says who voided the label: somebody else may have been faster.
  if (done?.origin?.requestedBy === actor.name) {
    const { accountId } = session;
    await logVoid(deps, { accountId, environment, id, trackingNumber: label.tracking_number, at: done.at, actor });
  }
  return { location: `${AREA_PATH}/${environment}/labels/${id}` };
}
