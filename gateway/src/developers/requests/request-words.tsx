import { STATUS_CODES } from "node:http";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import { ABORTED } from "../../request-log/ended-request.js";
import type { LoggedRequest } from "../../request-log/logged-request.js";
import { nameOf } from "../keys/keys.js";
import { Text } from "../page/text.js";

/** The status of a request as a tag: succeeded, refused or failed. */
export function StatusTag({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  if (status === null) return <span class="tag">No response</span>;
  return <span class={`tag${kindOf({ status, code })}`}>{`${status} ${STATUS_CODES[status] ?? ""}`}</span>;
}

/** The status of a request in a list, with the code that says what it means. */
export function ListedStatus({ status, code }: Pick<LoggedRequest, "status" | "code">) {
  return (
    <>
      <span class={`tag${kindOf({ status, code })}`}>{status ?? "No response"}</span>
      {code !== null && (
        <code class="sub">
          {code.split(/(?<=_)/).map((word) => (
            <>
              {word}
              <wbr />
            </>
          ))}
        </code>
      )}
    </>
  );
}

function kindOf({ status, code }: Pick<LoggedRequest, "status" | "code">): string {
  if (status === null || code === ABORTED) return "";
  return status >= 500 ? " danger" : status >= 400 ? " warning" : " good";
}

/** The key that a request was made with. */
export function KeyName({ keyName, keyLastFour }: Pick<LoggedRequest, "keyName" | "keyLastFour">) {
  return (
    <>
      <Text>{nameOf({ name: keyName })}</Text>
      {keyLastFour !== null && <code class="sub">…{keyLastFour}</code>}
    </>
  );
}

/** How long it took, as people say it. */
export function durationOf({ ms }: Pick<LoggedRequest, "ms">): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The requests that a row stands for beside its own. */
export function moreOf({ more }: Pick<LoggedRequest, "more">): string | undefined {
  return more > 0 ? `and ${more.toLocaleString("en")} similar requests in that minute` : undefined;
}

/** What a code means, in a sentence, or undefined if it is none of the API's. */
export function meaningOf(code: string | null): { sentence: string; guide: string } | undefined {
  if (code === null || !Object.hasOwn(errors, code)) return undefined;
  return { sentence: errors[code as ErrorCode].message, guide: `/docs/errors#${code}` };
}
