import { ID_FIELD } from "@shipping/api/input/fields";
import { visible } from "@shipping/api/input/text";
import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { ComponentChildren } from "preact";
import { Form, Input } from "../page/form.js";
import { unmarkedIn } from "../page/marked.js";
import { AREA_PATH } from "../page/page.js";
import { type Columns, Table } from "../page/table.js";
import { Middle, Time } from "../page/text.js";
import type { ListedRecord } from "./find-resources.js";
import { FURTHER, furtherText, headingOf } from "./further-fields.js";
import { type Address, shortPlace } from "./parcel.js";

/** Orders or shipments as rows of a list. Words that a search has found are marked. Shipments have their labels, if those could be read. */
export function RecordTable(props: {
  records: readonly ListedRecord[];
  kind: "orders" | "shipments";
  environment: Environment;
  marks?: readonly string[];
  labels?: ReadonlyMap<string, LabelSummary>;
}) {
  const { records, kind, environment, marks = [], labels } = props;
  const base = `${AREA_PATH}/${environment}`;
  return (
    <Table
      class={`list ${kind} ${labels ? "labelled" : ""}`}
      columns={{
        Reference: ({ id, reference }) => (
          <span>
            <a href={`${base}/${kind}/${id}`} aria-label={reference} data-result>
              <Middle marks={marks}>{reference}</Middle>
            </a>
            <code class="sub">
              <Middle>{id}</Middle>
            </code>
          </span>
        ),
        ...recordColumns(records, (found) => found, marks),
        Status: ({ status }) => <Status status={status} />,
        "Tracking number":
          labels &&
          (({ label_id: labelId }) =>
            labelId !== undefined && (
              <a class="tracking" href={`${base}/labels/${labelId}`} aria-label={labels.get(labelId)?.trackingNumber}>
                <Middle marks={marks}>{labels.get(labelId)?.trackingNumber ?? "Not available now"}</Middle>
              </a>
            )),
        Created: ({ created_at: createdAt }) => <Time at={createdAt} />,
        Label:
          labels &&
          (({ label_id: labelId, status, reference }) =>
            labelId !== undefined && status !== "voided" && <SelectLabel base={base} id={labelId} name={reference} />),
      }}
      rows={records}
    />
  );
}

type FoundBy = Partial<Pick<ListedRecord, "to" | "from" | "metadata">>;

/**
 * The columns of a recipient: name, company and at most three other texts by which a search has found the record; and the place. After them,
 * those of further fields that a row has.
 */
export function recordColumns<Row>(
  rows: readonly Row[],
  foundOf: (row: Row) => FoundBy,
  marks: readonly string[],
): Columns<Row> {
  const further = FURTHER.filter((name) => rows.some((row) => furtherText(foundOf(row), name)));
  const toCell = (name: string) => (row: Row) => <Middle marks={marks}>{furtherText(foundOf(row), name)}</Middle>;
  return {
    Recipient: (row) => <Recipient found={foundOf(row)} marks={marks} />,
    Destination: (row) => {
      const { to } = foundOf(row);
      return to && <Middle marks={marks}>{shortPlace(to)}</Middle>;
    },
    ...Object.fromEntries(further.map((name) => [headingOf(name), toCell(name)])),
  };
}

function Recipient({ found, marks }: { found: FoundBy; marks: readonly string[] }) {
  const { to } = found;
  if (!to) return null;
  const unseen = [to.name, to.company ?? "", shortPlace(to)].reduce((left, text) => unmarkedIn(text, left), marks);
  const isFound = (text: string) => unmarkedIn(text, unseen).length < unseen.length;
  const others = unseen.length > 0 ? searchedTexts(to, found).filter(([, text]) => isFound(text)) : [];
  return (
    <span>
      <Middle marks={marks}>{to.name}</Middle>
      {to.company !== undefined && (
        <span class="sub">
          <Middle marks={marks}>{to.company}</Middle>
        </span>
      )}
      {others.slice(0, 3).map(([name, text]) => (
        <span class="sub">
          {name && `${name}: `}
          <Middle marks={marks}>{text}</Middle>
        </span>
      ))}
    </span>
  );
}

// Bounds of a row's search in metadata with very many values, or with a very long text.
const MAX_VALUES = 50;
const BEGINNING = /^.{0,200}/su;

const restOf = ({ street1, street2, state, email, phone }: Address) => [street1, street2, state, email, phone];

/** The searched texts of a record that its row does not show, each with its name. */
function searchedTexts(to: Address, { from, metadata }: FoundBy): (readonly [name: string, text: string])[] {
  const sender = from && [from.name, from.company, shortPlace(from), ...restOf(from)];
  return [
    ...restOf(to).map((text) => ["", text ?? ""] as const),
    ...(sender ?? []).map((text) => ["From", text ?? ""] as const),
    ...(metadata === undefined ? [] : valuesIn("Metadata", metadata).slice(0, MAX_VALUES)),
  ];
}

function valuesIn(name: string, value: unknown): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [[name, BEGINNING.exec(String(value))![0]]];
  return Object.entries(value).flatMap(([key, inner]) => valuesIn(Array.isArray(value) ? name : visible(key), inner));
}

/** A label's PDF, and the box that selects it for one PDF with others. */
export function SelectLabel({ base, id, name }: { base: string; id: string; name: string }) {
  return (
    <span class="select-label">
      <Input type="checkbox" name="label" value={id} aria-label={`Select the label of ${name}`} />
      <a href={`${base}/labels/${id}/file`} download={`label-${id}.pdf`} aria-label={`PDF of the label of ${name}`}>
        PDF
      </a>
    </span>
  );
}

/** The query of a PDF with several labels. */
export const mergeQuery = { label: ID_FIELD };

/** The form around a list whose rows have labels to select. */
export function LabelSelection({ environment, children }: { environment: Environment; children: ComponentChildren }) {
  return (
    <Form fields={mergeQuery} class="selection" method="get" action={`${AREA_PATH}/${environment}/labels/merged`}>
      {children}
      <p class="list-actions">
        <button type="submit">Merge into one PDF</button>
        <span class="hint">Up to 100 labels, in the order of the list.</span>
      </p>
    </Form>
  );
}

export const STATUSES: Readonly<Record<string, { words: string; kind?: "good" | "danger" }>> = {
  received: { words: "Received" },
  draft: { words: "Draft" },
  label_created: { words: "Label created", kind: "good" },
  created: { words: "Created", kind: "good" },
  voided: { words: "Voided", kind: "danger" },
  pre_transit: { words: "Pre-transit" },
};

export function Status({ status }: { status: string }) {
  const { words = status, kind } = STATUSES[status] ?? {};
  return <span class={kind ? `tag ${kind}` : "tag"}>{words}</span>;
}

/** Marks a record that a test of a subscription has created. */
export function TestTag({ metadata }: { metadata?: Readonly<Record<string, unknown>> | undefined }) {
  return metadata?.webhook_test === undefined ? null : <span class="tag">Test</span>;
}
