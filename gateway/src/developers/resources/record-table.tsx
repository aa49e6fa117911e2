import type { Environment } from "@shipping/kit/caller";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { AREA_PATH } from "../page/page.js";
import { Table, Text, Time } from "../page/text.js";
import { shortPlace } from "./parcel.js";

export function RecordTable(props: {
  records: readonly RecordSummary[];
  kind: "orders" | "shipments";
  environment: Environment;
}) {
  const { records, kind, environment } = props;
  return (
    <Table headings={["Reference", "Recipient", "Status", "Created"]}>
      {records.map(({ id, status, reference, to, createdAt }) => (
        <tr>
          <td data-label="Reference">
            <span>
              <a href={`${AREA_PATH}/${environment}/${kind}/${id}`}>
                <Text>{reference}</Text>
              </a>
              <code class="sub">{id}</code>
            </span>
          </td>
          <td data-label="Recipient">
            <Recipient to={to} />
          </td>
          <td data-label="Status">
            <Status status={status} />
          </td>
          <td data-label="Created">
            <Time at={new Date(createdAt)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function Recipient({ to }: { to: RecordSummary["to"] }) {
  if (!to) return null;
  return (
    <span>
      <Text>{to.name}</Text>
      <span class="sub">
        <Text>{shortPlace(to)}</Text>
      </span>
    </span>
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

/** Marks what a test of a subscription has created. */
export function TestTag({ metadata }: { metadata?: Readonly<Record<string, unknown>> | undefined }) {
  return metadata?.webhook_test === undefined ? null : <span class="tag">Test</span>;
}
