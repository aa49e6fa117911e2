import { ID_FIELD } from "@shipping/api/input/fields";
import { visible } from "@shipping/api/input/text";
import type { Environment } from "@shipping/kit/caller";
import type { LabelSummary } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { ComponentChildren } from "preact";
import { Form, Input } from "../page/form.js";
import { Marked, unmarkedIn } from "../page/marked.js";
import { AREA_PATH } from "../page/page.js";
import { type Columns, type Order, SELECT, Table } from "../page/table.js";
import { RowLink, Time } from "../page/text.js";
import type { ListedRecord } from "./find-resources.js";
import { FURTHER, furtherText, headingOf } from "./further-fields.js";
import { type Address, Destination, shortPlace } from "./parcel.js";

/** Orders or shipments as rows of a list. Words that a search has found are marked. Shipments have their labels, if those could be read. */
export function RecordTable(props: {
  records: readonly ListedRecord[];
  kind: "orders" | "shipments";
  environment: Environment;
  marks?: readonly string[];
  labels?: ReadonlyMap<string, LabelSummary>;
  order?: Order | undefined;
}) {
  const { records, kind, environment, marks = [], labels, order } = props;
  const base = `${AREA_PATH}/${environment}`;
  return (
    <Table
      class={labels ? `${kind} labelled` : kind}
      places={PLACES}
      order={order}
      columns={{
        [SELECT]:
          labels &&
          (({ label_id: labelId, status, reference }) =>
            labelId !== undefined && status !== "voided" && <SelectLabel id={labelId} name={reference} />),
        Reference: (record) => (
          <>
            <RowLink href={`${base}/${kind}/${record.id}`} marks={marks}>
              {record.reference}
            </RowLink>{" "}
            <TestTag {...record} />
          </>
        ),
        ...recordColumns(records, (found) => found, marks),
        Status: kind === "shipments" && (({ status }) => <Status status={status} />),
        "Tracking number":
          labels &&
          (({ label_id: labelId }) =>
            labelId !== undefined && (
              <a class="tracking" href={`${base}/labels/${labelId}`}>
                <Marked marks={marks}>{labels.get(labelId)?.trackingNumber ?? "Not available now"}</Marked>
              </a>
            )),
        Created: ({ created_at: createdAt }) => <Time at={createdAt} short />,
        PDF:
          labels &&
          (({ label_id: labelId, status, reference }) =>
            labelId !== undefined && status !== "voided" && <LabelFile base={base} id={labelId} name={reference} />),
      }}
      rows={records}
      rowClass={({ status }) => (status === "voided" ? "over" : undefined)}
    />
  );
}

/** Where the columns of shipments and orders are on narrow screens. */
const PLACES = {
  [SELECT]: "select",
  Reference: "title",
  Status: "state",
  Created: "when",
  Recipient: "detail",
  "Tracking number": "aside",
} as const;

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
  const toCell = (name: string) => (row: Row) => <Marked marks={marks}>{furtherText(foundOf(row), name)}</Marked>;
  return {
    Recipient: (row) => <Recipient found={foundOf(row)} marks={marks} />,
    Destination: (row) => {
      const { to } = foundOf(row);
      return (
        to && (
          <span title={visible(shortPlace(to))}>
            <Destination to={to} marks={marks} />
          </span>
        )
      );
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
    <span title={visible([to.name, to.company].filter(Boolean).join(", "))}>
      <Marked marks={marks}>{to.name}</Marked>
      {to.company !== undefined && (
        <span class="beside">
          {", "}
          <Marked marks={marks}>{to.company}</Marked>
        </span>
      )}
      {others.slice(0, 3).map(([name, text]) => (
        <span class="sub below">
          {name && `${name}: `}
          <Marked marks={marks}>{text}</Marked>
        </span>
      ))}
    </span>
  );
}

// Bounds of a row's search in metadata with very many values, or with a very long text.
const MAX_VALUES = 50;
const BEGINNING = /^.{0,200}/su;

const restOf = ({ street1, street2, postal_code, state, email, phone }: Address) => [
  ...[street1, street2, postal_code, state],
  ...[email, phone],
];

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

/** The box that selects a label for one PDF with others. */
export function SelectLabel({ id, name }: { id: string; name: string }) {
  return <Input type="checkbox" name="label" value={id} aria-label={`Select the label of ${name}`} />;
}

export function LabelFile({ base, id, name }: { base: string; id: string; name: string }) {
  return (
    <a href={`${base}/labels/${id}/file`} download={`label-${id}.pdf`} aria-label={`PDF of the label of ${name}`}>
      PDF
    </a>
  );
}

/** The query of a PDF with several labels. */
export const mergeQuery = { label: ID_FIELD };

/**
 * The form around a list whose rows have labels to select. Its bar stays in sight above the rows. `children` are the bar's other actions, and the
 * rows. The script adds a box that selects all, and the number of selected labels.
 */
export function LabelSelection(props: {
  environment: Environment;
  actions: ComponentChildren;
  children: ComponentChildren;
}) {
  const { environment, actions, children } = props;
  return (
    <Form fields={mergeQuery} class="selection" method="get" action={`${AREA_PATH}/${environment}/labels/merged`}>
      <div class="list-bar">
        <button type="submit" class="merge quiet" title="Up to 100 labels, in the order of the list">
          Merge into one PDF
        </button>
        {actions}
      </div>
      {children}
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
export function TestTag({ metadata, reference, to }: Pick<ListedRecord, "metadata" | "reference" | "to">) {
  // Rows of a list have no metadata.
  const isTest = metadata
    ? metadata.webhook_test !== undefined
    : to.name === TEST_NAME && reference.startsWith(`${TEST_NAME} of `);
  return isTest ? <span class="tag">Test</span> : null;
}

/** The recipient of a test, with which its reference begins. */
export const TEST_NAME = "Webhook test";
