import { shownBy } from "./lives.js";
import { type Anomaly, type History, lineAbout, type Operation, outcomeIn, pageIn } from "./operation.js";

/** The times from which records have certainly existed, by ID, with the operation that has shown them first. Records are never deleted. */
type Existing = Map<string, { sinceMs: number; by: Operation }>;

/** The anomalies of a history's lists: a record that existed during the whole walk appears exactly once, in the order of IDs. */
export function incompleteLists({ operations }: History): Anomaly[] {
  const done = operations.filter((operation) => outcomeIn(operation) === "done");
  const existing = existingIn(done);
  const walks = new Map<number, Operation[]>();
  for (const page of done) {
    if (page.walk !== undefined) walks.set(page.walk, [...(walks.get(page.walk) ?? []), page]);
  }
  return [...walks.values()].flatMap((pages) => {
    const inOrder = [...pages].sort((a, b) => a.startMs - b.startMs);
    return [...wrongPages(inOrder), ...missingIn(inOrder, existing.get(listIn(inOrder[0]!)) ?? new Map())];
  });
}

function existingIn(operations: readonly Operation[]): Map<string, Existing> {
  const lists = new Map<string, Existing>();
  for (const operation of operations) {
    for (const { id, object } of shownBy(operation)) {
      const name = `${operation.account} /${object}s`;
      const list: Existing = lists.get(name) ?? new Map();
      lists.set(name, list);
      const known = list.get(id);
      if (!known || known.sinceMs > operation.endMs) list.set(id, { sinceMs: operation.endMs, by: operation });
    }
  }
  return lists;
}

function listIn({ account, path }: Operation): string {
  return `${account} ${path.split("?")[0]}`;
}

function wrongPages(pages: readonly Operation[]): Anomaly[] {
  let last = "";
  return pages.flatMap((page) => {
    const { data, next_cursor: cursor } = pageIn(page);
    const isAscending = data.every(({ id }) => {
      const isLater = id > last;
      last = id;
      return isLater;
    });
    const found = (rule: string) => [{ rule, subject: page.path, seen: [lineAbout(page)] }];
    if (!isAscending) return found("A list shows a record twice, or not in the order of IDs.");
    return cursor === null || cursor === data.at(-1)?.id ? [] : found("A cursor is not the last ID of its page.");
  });
}

/** The records that a walk has missed, up to where it ended if its reader gave up. */
function missingIn(pages: readonly Operation[], existing: Existing): Anomaly[] {
  const [first, end] = [pages[0]!, pageIn(pages.at(-1)!).next_cursor];
  const shown = new Set(pages.flatMap((page) => pageIn(page).data.map(({ id }) => id)));
  const missing = [...existing].filter(
    ([id, { sinceMs }]) => sinceMs < first.startMs && !shown.has(id) && (end === null || id <= end),
  );
  return missing.map(([id, { by }]) => {
    const around = pages.filter((page) => (pageIn(page).next_cursor ?? "~") > id).slice(0, 1);
    const seen = [lineAbout(by), ...around.map(lineAbout)];
    return { rule: "A list misses a record that existed before it was asked for.", subject: id, seen };
  });
}
