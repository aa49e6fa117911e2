import { scopes } from "@shipping/api/api-key";
import { visible } from "@shipping/api/input/text";
import { AUDIT_ACTIONS, type AuditAction } from "../audit/audit.js";
import { showEmail } from "../mail/host-name.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging } from "../page/paging.js";
import { getRetrySeconds, MissingPart } from "../page/part.js";
import { Table } from "../page/table.js";
import { Text, Time, titledPage } from "../page/text.js";
import { describeDevice } from "../session/member-sessions.js";
import { FilterForm, readEntries, readFilter, toParameters, toPath } from "./audit-filter.js";

const EVERY_SCOPE = scopes.join(" ");

export async function showAuditLog(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { accountId } = request.session;
  const asked = readFilter(request.query);
  const { after: id } = asked;
  const missing = id ? [] : await deps.catchUp();
  const after = id && (await deps.prisma.auditEntry.findFirst({ where: { id, accountId } }))?.id;
  const filter = { ...asked, after };
  const { rows: entries, nextCursor, lookedBackTo } = await readEntries(deps, accountId, filter, PAGE_SIZE);
  const isFiltered = toParameters(filter).length > 0;
  const page = titledPage(
    "Audit log",
    <>
      <p>
        Every sign-in and every change to keys, members and subscriptions in the last {deps.auditRetentionDays} days,
        whether made here, through the API or by the operator. Labels voided in the developer area are listed too, and
        lists and labels that were downloaded from it as one file.
      </p>
      {missing.map((changes) => (
        <MissingPart what={`The latest changes of ${changes} cannot be shown.`} request={request} />
      ))}
      <FilterForm filter={filter} />
      {entries.length > 0 && (
        <p>
          <a href={toPath(`${AREA_PATH}/audit/csv`, filter)} download>
            Export as CSV
          </a>{" "}
          <span class="soft">{isFiltered ? "these entries, up to 10,000" : "up to 10,000 entries"}</span>
        </p>
      )}
      {entries.length === 0 ? (
        <div class="empty">
          {lookedBackTo ? (
            <p>
              No matching entries since <Time at={lookedBackTo} />. You can search older entries.
            </p>
          ) : (
            <p>{isFiltered ? "No entries match this filter." : "No changes yet."}</p>
          )}
          {isFiltered && <a href={`${AREA_PATH}/audit`}>Show all entries</a>}
        </div>
      ) : (
        <Table
          class="audit"
          places={{ What: "title", When: "state", Details: "detail", Who: "aside" }}
          columns={{
            When: ({ at }) => <Time at={at} short />,
            Who: ({ actor }) => (
              <span title={visible(actor)}>
                <Text>{showEmail(actor)}</Text>
              </span>
            ),
            What: ({ action, environment }) => (
              <span>
                {AUDIT_ACTIONS[action as AuditAction] ?? action}
                {environment && <span class="beside">, {environment}</span>}
              </span>
            ),
            Details: (entry) => <Detail {...entry} />,
            "IP address": ({ source }) => source,
          }}
          rows={entries}
        />
      )}
      <Paging
        path={toPath(`${AREA_PATH}/audit`, filter)}
        query={request.query}
        after={after}
        next={nextCursor}
        nextWords={lookedBackTo ? "Search older entries" : "Next page"}
      />
    </>,
  );
  return missing.length === 0 ? page : { ...page, refreshSeconds: getRetrySeconds(request.url) };
}

/** Describes the entry. A sign-in or a switch names the device; its whole user agent is the tooltip. */
function Detail({ action, detail }: { action: string; detail: string }) {
  if (action !== "member.signed_in" && action !== "member.switched_account")
    return (
      <span title={visible(detail)}>
        <Text>{detail.replace(EVERY_SCOPE, "Full access")}</Text>
      </span>
    );
  const [way = "", userAgent = ""] = detail.split(/, (.*)/s);
  return <span title={visible(userAgent)}>{`${way}, ${describeDevice(userAgent)}`}</span>;
}
