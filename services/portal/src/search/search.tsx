import type { Environment } from "@shipping/kit/caller";
import { Marked, toMarks } from "../page/marked.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { isMissing, MissingPart, retryMissing, unlessMissing } from "../page/part.js";
import { Table } from "../page/table.js";
import { Notice, Text, titledPage } from "../page/text.js";
import { SEARCH_HINTS } from "../resources/further-fields.js";
import { RecordTable } from "../resources/record-table.js";
import { findMatches, type Kind, MAX_PER_KIND, type Match } from "./find-matches.js";

const SECRET = /^(?:service_(?:test|live)|whsec)_/;

/** `GET …/search?q=`: redirects to the page of a single match, or lists the matches. */
export async function showSearch(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const text = (request.query.get("q") ?? "").trim();
  if (SECRET.test(text)) return titledPage("Search", <SecretEntered />);
  const isSearched = text !== "" && !text.includes("\0");
  const searched = isSearched ? await findMatches(deps, request, text) : [];
  const matches = searched.flatMap(({ part }) => unlessMissing(part) ?? []);
  const missing = KINDS.filter(([kind]) => searched.some((one) => one.kind === kind && isMissing(one.part)));
  const base = `${AREA_PATH}/${request.environment}`;
  const [only] = matches;
  if (only && matches.length === 1 && missing.length === 0 && isNamed(only, text)) {
    return { location: `${base}/${only.path}` };
  }
  const page = titledPage(
    "Search",
    <>
      {missing.length > 0 && (
        <MissingPart what={`${missing.map(([, words]) => words).join(", ")} cannot be searched.`} request={request} />
      )}
      {matches.length > 0 ? (
        <>
          <p role="status">
            Results for <Text>{text}</Text>, newest first, up to {MAX_PER_KIND} of each kind:
          </p>
          {KINDS.map(([kind, words]) => (
            <MatchGroup
              heading={words}
              matches={matches.filter((match) => match.kind === kind)}
              environment={request.environment}
              marks={toMarks(text)}
            />
          ))}
          <AllMatchesLinks matches={matches} base={base} text={text} />
        </>
      ) : (
        missing.length === 0 && <NoMatches text={text} base={base} isSearched={isSearched} />
      )}
      {/* The script shows it. */}
      <label id="slash" class="hint" hidden>
        <input type="checkbox" /> The <kbd>/</kbd> key goes to the search
      </label>
    </>,
  );
  return retryMissing(
    { ...page, ...(isSearched && { searched: text }) },
    request,
    searched.map(({ part }) => part),
  );
}

/** Whether a text is a name of the match, and not only some words of it. */
function isNamed({ record, name }: Match, text: string): boolean {
  const names = [record?.id, name].map((one) => one?.toLowerCase());
  return record === undefined || names.includes(text.toLowerCase());
}

/** The kinds with their names, and the lists that can search for all of their matches. */
const KINDS: readonly (readonly [kind: Kind, words: string, list?: string])[] = [
  ["Shipment", "Shipments", "shipments"],
  ["Order", "Orders", "orders"],
  ["Label", "Labels"],
  ["Request", "Requests", "requests"],
  ["Subscription", "Webhooks"],
  ["Event", "Events"],
  ["API key", "API keys"],
];

function MatchGroup(props: {
  heading: string;
  matches: readonly Match[];
  environment: Environment;
  marks: readonly string[];
}) {
  const { heading, matches, environment, marks } = props;
  const records = matches.flatMap(({ record }) => record ?? []);
  if (matches.length === 0) return null;
  return (
    <section>
      <h2>{heading}</h2>
      {records.length > 0 ? (
        <RecordTable
          records={records}
          kind={heading === "Orders" ? "orders" : "shipments"}
          environment={environment}
          marks={marks}
        />
      ) : (
        <Table
          columns={{
            Name: ({ path, name }) => (
              <a href={`${AREA_PATH}/${environment}/${path}`} data-result>
                <Marked marks={marks}>{name}</Marked>
              </a>
            ),
            ID: ({ id }) => <code>{id}</code>,
          }}
          rows={matches}
        />
      )}
    </section>
  );
}

function AllMatchesLinks({ matches, base, text }: { matches: readonly Match[]; base: string; text: string }) {
  const isFull = (wanted: Kind) => matches.filter(({ kind }) => kind === wanted).length === MAX_PER_KIND;
  const query = new URLSearchParams({ q: text });
  return (
    <p class="paging">
      {KINDS.filter(([kind, , list]) => list && isFull(kind)).map(([, , list]) => (
        <a href={`${base}/${list}?${query}`}>All matching {list}</a>
      ))}
    </p>
  );
}

function NoMatches({ text, base, isSearched }: { text: string; base: string; isSearched: boolean }) {
  return (
    <div class="empty">
      {isSearched && (
        <p role="status">
          No results for <Text>{text}</Text> in this environment.
        </p>
      )}
      <p>
        {SEARCH_HINTS.all} You can also enter the ID of a request, order, shipment, label, event, subscription or API
        key, an idempotency key, or a value of the metadata.
      </p>
      <p>
        <a href={`${base}/requests`}>Requests</a> can be found for seven days. Successful GET requests are not listed.
      </p>
    </div>
  );
}

function SecretEntered() {
  return (
    <Notice kind="danger">
      <strong>This is a secret.</strong> It was not searched for, but it is now in this page's URL and in your browser
      history. Search for the ID of the key or its last four characters instead. If other people use this browser,
      revoke the key.
    </Notice>
  );
}
