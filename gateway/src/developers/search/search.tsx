import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "../page/page.js";
import { Note, Text } from "../page/text.js";
import { type Found, findAnything, type Kind, MOST_OF_A_KIND } from "./find-anything.js";

/** No name, reference or id that can be found is longer. */
const LONGEST = 255;
const SECRET = /^(?:service_(?:test|live)|whsec)_/;

/** `GET …/search?q=`: the way to the one thing that was found, or a list. */
export async function showSearch(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const text = (request.query.get("q") ?? "").trim();
  if (SECRET.test(text)) return shown("Search", <SecretEntered />);
  const isSearched = text !== "" && text.length <= LONGEST && !text.includes("\0");
  const found = isSearched ? await findAnything(deps, request, text) : [];
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
            Found for <Text>{text}</Text>, at most {MOST_OF_A_KIND} of each kind, the newest first:
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
          <th scope="col">What</th>
          <th scope="col">Name</th>
        </tr>
      </thead>
      <tbody>
        {found.map(({ kind, path, name, id }) => (
          <tr>
            <td data-label="What">{kind}</td>
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
  ["Shipment", "shipments", "All shipments found"],
  ["Order", "orders", "All orders found"],
  ["Request", "requests", "All requests found"],
];

function MoreOfAKind({ found, base, text }: { found: readonly Found[]; base: string; text: string }) {
  const isFull = (wanted: Kind) => found.filter(({ kind }) => kind === wanted).length === MOST_OF_A_KIND;
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
          Nothing in this environment is known as <Text>{text}</Text>.
        </p>
      )}
      <p>
        Enter the id of a request, order, shipment, label, event, subscription or API key, a tracking number or an
        idempotency key; or the beginning of a reference, a recipient's name or a postal code.
      </p>
      <p>
        <a href={`${base}/requests`}>Requests</a> can be found for seven days. Reads that succeeded are only counted.
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
          <strong>This is a secret.</strong> It was not searched for, but it stands in the address of this page and in
          the history of your browser. Search for the id of a key, or its last four characters. If others can see this
          browser, revoke the key.
        </p>
      </Note>
    </>
  );
}
