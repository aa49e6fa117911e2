import { AUDIT_ACTIONS, type AuditAction, logExport } from "../audit/audit.js";
import { type FileRow, FORMATS } from "../exports/row-file.js";
import type { Download, PageDeps, PageRequest } from "../page/page.js";
import { type AuditFilter, type AuditRow, readEntries, readFilter, toParameters } from "./audit-filter.js";

/** Maximum number of rows of a file: the newest ones. */
const MAX_ROWS = 10_000;
const CHUNK = 500;
const HEADINGS = ["at", "who", "action", "what", "environment", "subject", "details", "source"];

/** `GET /developers/audit/csv`: all pages of the filtered log, sent while they are read. */
export async function exportAudit(deps: PageDeps, request: PageRequest): Promise<Download> {
  const { session, query, actor } = request;
  const { accountId } = session;
  await deps.catchUp();
  const filter = { ...readFilter(query), after: undefined };
  const asked = toParameters(filter).map((parameter) => parameter.join("="));
  const what = ["audit log as CSV", asked.join(", ")].filter(Boolean).join(": ");
  await logExport(deps, { accountId, environment: null, actor, what });
  const rest = chunks(deps, accountId, filter);
  const { value: first = Buffer.alloc(0) } = await rest.next();
  const day = deps.now().toISOString().slice(0, 10);
  return { type: FORMATS.csv.type, name: `audit-log-${day}.csv`, first, rest };
}

async function* chunks(deps: PageDeps, accountId: string, filter: AuditFilter): AsyncGenerator<Buffer, undefined> {
  const file = FORMATS.csv.create();
  let before = file.begin(HEADINGS);
  let after: string | undefined;
  for (let rows = 0; rows < MAX_ROWS; ) {
    const page = await readEntries(deps, accountId, { ...filter, after }, Math.min(CHUNK, MAX_ROWS - rows));
    yield Buffer.concat([before, file.write(page.rows.map(toCells))]);
    before = Buffer.alloc(0);
    rows += page.rows.length;
    after = page.nextCursor;
    if (after === undefined) return;
  }
}

function toCells({ at, actor, action, environment, subject, detail, source }: AuditRow): FileRow {
  const words = AUDIT_ACTIONS[action as AuditAction] ?? action;
  return [at.toISOString(), actor, action, words, environment ?? "", subject, detail, source];
}
