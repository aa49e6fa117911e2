import type { AuditAction } from "../audit.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest, shown } from "./page.js";
import { Text, Time } from "./text.js";

const PAGE_SIZE = 50;

const WORDS: Record<AuditAction, string> = {
  "key.created": "Key created",
  "key.revoked": "Key revoked",
  "member.added": "Member added",
  "member.removed": "Member removed",
  "webhook.created": "Subscription created",
  "webhook.disabled": "Subscription disabled",
};

/** `GET /developers/audit`: the newest first. */
export async function showAuditLog(deps: PageDeps, { session, query }: PageRequest): Promise<PageAnswer> {
  const { accountId } = session;
  const cursor = query.get("after");
  const from = cursor === null ? null : await deps.prisma.auditEntry.findFirst({ where: { id: cursor, accountId } });
  const entries = await deps.prisma.auditEntry.findMany({
    where: { accountId },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: PAGE_SIZE + 1,
    ...(from && { cursor: { id: from.id }, skip: 1 }),
  });
  const shownEntries = entries.slice(0, PAGE_SIZE);
  const last = entries.length > PAGE_SIZE ? shownEntries.at(-1) : undefined;
  return shown(
    "Audit log",
    <>
      <h1>Audit log</h1>
      <p>
        Every change of keys, members and subscriptions that was made here or at the operator's command line, for{" "}
        {deps.area.auditRetentionDays} days.
      </p>
      {shownEntries.length === 0 ? (
        <div class="empty">
          <p>Nothing has been changed yet.</p>
        </div>
      ) : (
        <table>
          <thead>
            <tr>
              {["When", "Who", "What", "Which", "From"].map((heading) => (
                <th scope="col">{heading}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shownEntries.map((entry) => (
              <tr>
                <td data-label="When">
                  <Time at={entry.at} />
                </td>
                <td data-label="Who">
                  <Text>{entry.actor}</Text>
                </td>
                <td data-label="What">
                  <span>
                    {WORDS[entry.action as AuditAction] ?? entry.action}
                    {entry.environment && <span class="sub">{entry.environment}</span>}
                  </span>
                </td>
                <td data-label="Which">
                  <Text>{entry.detail}</Text>
                </td>
                <td data-label="From">{entry.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {last && <a href={`${AREA_PATH}/audit?after=${last.id}`}>Older entries</a>}
    </>,
  );
}
