import type { Environment } from "@shipping/kit/caller";
import { isId } from "@shipping/kit/ids";
import type { Origin } from "@shipping/proto/shipping/common/v1/common_pb";
import { nameOf } from "../keys/keys.js";
import { AREA_PATH, type PageDeps, type PageRequest } from "../page/page.js";
import { Text, Time } from "../page/text.js";

/** Something that happened to a resource, and who did it. */
export interface Happening {
  /** Of the event that it caused. */
  type: string;
  words: string;
  at: Date;
  origin: Origin | undefined;
}

/** Names and last characters of API keys, by their IDs. */
type KeyNames = ReadonlyMap<string, { name: string | null; lastFour: string }>;

/** Reads the names of the API keys behind these changes. */
export async function keyNamesOf(
  deps: Pick<PageDeps, "prisma">,
  { session, environment }: PageRequest,
  happenings: readonly Happening[],
): Promise<KeyNames> {
  const ids = happenings.flatMap(({ origin }) => (isId("key", origin?.requestedBy ?? "") ? origin!.requestedBy : []));
  if (ids.length === 0) return new Map();
  const keys = await deps.prisma.apiKey.findMany({
    where: { id: { in: [...new Set(ids)] }, accountId: session.accountId, environment },
    select: { id: true, name: true, lastFour: true },
  });
  return new Map(keys.map(({ id, ...key }) => [id, key]));
}

interface Told {
  happenings: readonly Happening[];
  keys: KeyNames;
  environment: Environment;
}

/** What happened, the oldest first: when, by whom, and in which request. */
export function Timeline({ happenings, keys, environment }: Told) {
  return (
    <ol class="timeline">
      {happenings.map(({ words, at, origin }) => (
        <li>
          <strong>{words}</strong> <Time at={at} />
          <span class="sub">
            <By origin={origin} keys={keys} environment={environment} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function By({ origin, keys, environment }: Omit<Told, "happenings"> & { origin: Origin | undefined }) {
  const { requestedBy = "", requestId = "" } = origin ?? {};
  if (requestedBy === "" && requestId === "") return <>The API key was not recorded at that time.</>;
  const key = keys.get(requestedBy);
  return (
    <>
      By{" "}
      {key ? (
        <>
          key <Text>{nameOf(key)}</Text> <code>…{key.lastFour}</code>
        </>
      ) : (
        <Text>{requestedBy}</Text>
      )}
      {requestId !== "" && (
        <>
          {" in "}
          {/* What a form of this area did is in the audit log, not among the requests of the API. */}
          {isId("key", requestedBy) ? (
            <a href={`${AREA_PATH}/${environment}/requests/${requestId}`}>
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

/** The events sent for this resource. */
export function Events({ happenings }: Pick<Told, "happenings">) {
  const caused = happenings.filter(({ origin }) => origin?.eventId);
  if (caused.length === 0) return <p>Events were not recorded at that time.</p>;
  return (
    <table>
      <thead>
        <tr>
          {["Type", "Event", "When"].map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {caused.map(({ type, at, origin }) => (
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
      </tbody>
    </table>
  );
}
