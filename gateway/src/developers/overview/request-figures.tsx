import type { HourOfRequests, Refusals } from "../../request-log/count-requests.js";
import { BarChart, type BarKind } from "../page/bar-chart.js";

const KINDS: readonly BarKind[] = [
  { name: "Successful", tone: "good" },
  { name: "Refused (4xx)", tone: "warning" },
  { name: "Failed (5xx)", tone: "danger" },
];

/** The requests of the last day by hour, and why some were refused. */
export function RequestFigures(props: {
  base: string;
  hours: readonly HourOfRequests[];
  refusals: readonly Refusals[];
}) {
  const { base, hours, refusals } = props;
  const bars = hours.map(({ hour, reads, writes, replays, refused, failed }) => ({
    at: hour,
    counts: [reads + writes + replays, refused, failed],
  }));
  return (
    <>
      <h2>Requests in the last 24 hours</h2>
      <BarChart label="Requests by hour" kinds={KINDS} bars={bars} />
      {refusals.length > 0 && <RefusalTable base={base} refusals={refusals} />}
    </>
  );
}

function RefusalTable({ base, refusals }: { base: string; refusals: readonly Refusals[] }) {
  return (
    <table>
      <caption>Errors by code</caption>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">Requests</th>
          <th scope="col">Explanation</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map(({ code, status, count }) => (
          <tr>
            <td data-label="Code">
              <a href={`${base}/requests?status=${code}`}>
                <code>{code}</code>
              </a>
            </td>
            <td data-label="Status">{status}</td>
            <td data-label="Requests">{count.toLocaleString("en")}</td>
            <td data-label="Explanation">
              <a href={`/docs/errors#${code}`} aria-label={`How to fix it: ${code}`}>
                How to fix it
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
