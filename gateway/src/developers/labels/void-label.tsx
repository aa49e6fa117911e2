import { failFields } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { z } from "zod";
import { recordVoid } from "../../accounts/record-void.js";
import { AccountForm } from "../page/account-form.js";
import { formId } from "../page/form-field.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { checkForm } from "../page/read-form.js";
import { Note, Text } from "../page/text.js";
import { writeByForm } from "../page/write-by-form.js";
import { shipmentsById } from "../resources/find-resources.js";
import { shortPlace } from "../resources/parcel.js";
import { readLabel } from "../resources/read-resources.js";

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
    await recordVoid(deps, { accountId, environment, id, detail: label.tracking_number, at: done.at, actor });
  }
  return { location: `${AREA_PATH}/${environment}/labels/${id}` };
}
