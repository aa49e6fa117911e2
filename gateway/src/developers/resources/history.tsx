import type { Environment } from "@shipping/kit/caller";
import { isId } from "@shipping/kit/ids";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import { keyName } from "../keys/keys.js";
import { AREA_PATH, type PageDeps, type PageRequest } from "../page/page.js";
import { Table, Text, Time } from "../page/text.js";
import type { HistoryEntry } from "../read/read-resources.js";

type KeyNames = ReadonlyMap<string, { name: string | null; lastFour: string }>;

export async function readKeyNames(
  deps: Pick<PageDeps, "prisma">,
  { session, environment }: PageRequest,
  history: readonly HistoryEntry[],
): Promise<KeyNames> {
  const ids = history.map(({ origin }) => origin?.requestedBy ?? "").filter((id) => isId("key", id));
  if (ids.length === 0) return new Map();
  const keys = await deps.prisma.apiKey.findMany({
    where: { id: { in: [...new Set(ids)] }, accountId: session.accountId, environment },
    select: { id: true, name: true, lastFour: true },
  });
  return new Map(keys.map(({ id, ...key }) => [id, key]));
}

/** The changes, oldest first: when, by whom, and in which request. */
export function Timeline(props: { history: readonly HistoryEntry[]; keys: KeyNames; environment: Environment }) {
  const { history, keys, environment } = props;
  return (
    <ol class="timeline">
      {history.map(({ words, at, origin }) => (
        <li>
          <strong>{words}</strong> <Time at={at} />
          <span class="sub">
            <Requester origin={origin} keys={keys} environment={environment} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Requester(props: { origin: Origin | undefined; keys: KeyNames; environment: Environment }) {
  const { requestedBy = "", requestId = "" } = props.origin ?? {};
  if (requestedBy === "" && requestId === "") return <>The API key was not recorded at that time.</>;
  const key = props.keys.get(requestedBy);
  return (
    <>
      By{" "}
      {key ? (
        <>
          key <Text>{keyName(key)}</Text> <code>…{key.lastFour}</code>
        </>
      ) : (
        <Text>{requestedBy}</Text>
      )}
      {requestId !== "" && (
        <>
          {" in "}
          {/* Forms of the developer area are in the audit log, not in the request log. */}
          {isId("key", requestedBy) ? (
            <a href={`${AREA_PATH}/${props.environment}/requests/${requestId}`}>
              <code>{requestId}</code>
            </a>
          ) : (
            <code>{requestId}</code>
          )}
        </>
      )}
    </>
  );
}

export function Events({ history }: { history: readonly HistoryEntry[] }) {
  const sent = history.filter(({ origin }) => origin?.eventId);
  if (sent.length === 0) return <p>Events were not recorded at that time.</p>;
  return (
    <Table headings={["Type", "Event", "When"]}>
      {sent.map(({ type, at, origin }) => (
        <tr>
          <td data-label="Type">
            <code>{type}</code>
          </td>
          <td data-label="Event">
            <code>{origin?.eventId}</code>
          </td>
          <td data-label="When">
            <Time at={at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
