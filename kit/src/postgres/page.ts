/** One page of a list that ascends by id. */
export interface Page {
  /** The resources on the page: a JSON array, UTF-8. */
  data: Uint8Array;
  /** The last id of the page; absent on the last page. */
  nextCursor?: string;
}

const [OPENING, COMMA, CLOSING] = Buffer.from("[,]") as unknown as [number, number, number];

/** The most bytes on a page, unless a single resource is larger. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/**
 * Renders a page of `limit` resources from up to `limit + 1` rows: the extra row shows that there is a next page. The page ends early if
 * its resources would exceed 1 MiB.
 */
export function renderPage<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  render: (row: Row) => string,
): Page {
  const shown: string[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const resource = render(row);
    const ofResource = Buffer.byteLength(resource);
    if (bytes + ofResource > MAX_PAGE_BYTES && shown.length > 0) break;
    bytes += ofResource;
    shown.push(resource);
  }
  const data = arrayOf(shown, bytes);
  const last = rows[shown.length - 1];
  return rows.length > shown.length && last ? { data, nextCursor: last.id } : { data };
}

/**
 * Builds the JSON array of resources that have this many bytes together. Each is encoded in place: joining the page first would copy it
 * twice more.
 */
function arrayOf(resources: readonly string[], bytes: number): Uint8Array {
  if (resources.length === 0) return Buffer.from("[]");
  const data = Buffer.allocUnsafe(bytes + resources.length + 1);
  let end = 0;
  for (const resource of resources) {
    data[end] = end === 0 ? OPENING : COMMA;
    end += 1 + data.write(resource, end + 1);
  }
  data[end] = CLOSING;
  return data;
}
