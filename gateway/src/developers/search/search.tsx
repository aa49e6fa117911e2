import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Note, Text } from "../page/text.js";
import { type Found, findMatches, type Kind, MAX_PER_KIND } from "./find-matches.js";

/** No name, reference or id that can be found is longer. */
const LONGEST = 255;
const SECRET = /^(?:service_(?:test|live)|whsec)_/;

/** `GET …/search?q=`: the way to the one thing that was found, or a list. */
export async function showSearch(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const text = (request.query.get("q") ?? "").trim();
  if (SECRET.test(text)) return shown("Search", <SecretEntered />);
  const isSearched = text !== "" && text.length <= LONGEST && !text.includes("\0");
  const found = isSearched ? await findMatches(deps, request, text) : [];
  const base = `${AREA_PATH}/${request.environment}`;
  const [only] = found;
  if (only && found.length === 1) return { location: `${base}/${only.path}` };
  return shown(
    "Search",
    <>
      <h1>Search</h1>
      {found.length > 0 ? (
        <>
          <p role="status">
            Results for <Text>{text}</Text>, newest first, up to {MAX_PER_KIND} of each kind:
          </p>
          <FoundTable found={found} base={base} />
          <MoreOfAKind found={found} base={base} text={text} />
        </>
      ) : (
        <NothingFound text={text} base={base} isSearched={isSearched} />
      )}
    </>,
  );
}

function FoundTable({ found, base }: { found: readonly Found[]; base: string }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Type</th>
          <th scope="col">Name</th>
        </tr>
      </thead>
      <tbody>
        {found.map(({ kind, path, name, id }) => (
          <tr>
            <td data-label="Type">{kind}</td>
            <td data-label="Name">
              <span>
                <a href={`${base}/${path}`}>
                  <Text>{name}</Text>
                </a>
                <code class="sub">{id}</code>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The lists that can be searched for all of a kind. */
const LISTS: readonly (readonly [Kind, string, string])[] = [
  ["Shipment", "shipments", "All matching shipments"],
  ["Order", "orders", "All matching orders"],
  ["Request", "requests", "All matching requests"],
];

function MoreOfAKind({ found, base, text }: { found: readonly Found[]; base: string; text: string }) {
  const isFull = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).length === MAX_PER_KIND;
  const query = new URLSearchParams({ q: text });
  return (
    <p class="paging">
      {LISTS.filter(([kind]) => isFull(kind)).map(([, path, words]) => (
        <a href={`${base}/${path}?${query}`}>{words}</a>
      ))}
    </p>
  );
}

function NothingFound({ text, base, isSearched }: { text: string; base: string; isSearched: boolean }) {
  return (
    <div class="empty">
      {isSearched && (
        <p role="status">
          No results for <Text>{text}</Text> in this environment.
        </p>
      )}
      <p>
        Enter the complete ID of a request, order, shipment, label, event, subscription or API key, a tracking number or
        an idempotency key. You can also enter the first characters of a reference, recipient name or postal code.
      </p>
      <p>
        <a href={`${base}/requests`}>Requests</a> can be found for seven days. Successful reads are counted but not
        listed.
      </p>
    </div>
  );
}

function SecretEntered() {
  return (
    <>
      <h1>Search</h1>
      <Note kind="danger">
        <p>
          <strong>This is a secret.</strong> It was not searched for, but it is now in this page's address and in your
          browser history. Search for the ID of the key or its last four characters instead. If other people use this
          browser, revoke the key.
        </p>
      </Note>
    </>
  );
}
