import type { Environment } from "@shipping/kit/caller";
import type { RecordSummary } from "@shipping/proto/shipping/records/v1/records_pb";
import { AREA_PATH } from "../page/page.js";
import { Text, Time } from "../page/text.js";
import { shortPlace } from "./parcel.js";
import { Status } from "./status.js";

/** Orders or shipments, each with the way to its page. */
export function RecordTable(props: {
  records: readonly RecordSummary[];
  kind: "orders" | "shipments";
  environment: Environment;
}) {
  const { records, kind, environment } = props;
  return (
    <table>
      <thead>
        <tr>
          {["Reference", "Recipient", "Status", "Created"].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
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
              {to && (
                <span>
                  <Text>{to.name}</Text>
                  <span class="sub">
                    <Text>{shortPlace(to)}</Text>
                  </span>
                </span>
              )}
            </td>
            <td data-label="Status">
              <Status status={status} />
            </td>
            <td data-label="Created">
              <Time at={new Date(createdAt)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
