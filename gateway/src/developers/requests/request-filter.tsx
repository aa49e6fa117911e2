import { errors } from "@shipping/proto/errors";
import { ABORTED } from "../../request-log/ended-request.js";
import { nameOf } from "../keys/keys.js";
import type { ListedKeyOfPage } from "../keys/list-keys.js";
import { visible } from "../page/text.js";
import { type AskedRequests, isNarrowed, METHODS, minuteIn } from "./asked-requests.js";

const CLASSES = [
  ["2xx", "2xx Succeeded"],
  ["4xx", "4xx Refused"],
  ["5xx", "5xx Failed"],
  [ABORTED, "Closed by the client"],
] as const;
const CODES = Object.entries(errors).map(([code, { status }]) => [code, `${status} ${code}`] as const);

/** Looks for one thing by its id or key. */
export function RequestSearch({ list, asked }: { list: string; asked: AskedRequests }) {
  return (
    <search class="request-search">
      <form method="get" action={list}>
        <input
          type="search"
          name="q"
          value={asked.sought}
          aria-label="Request ID, idempotency key or resource ID"
          placeholder="Request ID, idempotency key or resource ID"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** Narrows the list. */
export function RequestFilter(props: { list: string; asked: AskedRequests; keys: readonly ListedKeyOfPage[] }) {
  const { list, asked, keys } = props;
  const named = keys.map((key) => [key.id, `${visible(nameOf(key))} …${key.lastFour}`] as const);
  const isListed = !asked.keyId || keys.some(({ id }) => id === asked.keyId);
  return (
    <form class="request-filter" method="get" action={list} aria-label="Filter">
      <Choice name="status" label="Status" chosen={asked.status} options={[...CLASSES, ...statusOf(asked), ...CODES]} />
      <Choice name="method" label="Method" chosen={asked.method} options={METHODS.map((method) => [method, method])} />
      <Choice
        name="key"
        label="API key"
        chosen={asked.keyId}
        options={isListed ? named : [...named, [String(asked.keyId), String(asked.keyId)]]}
      />
      <Minute name="from" label="From (UTC)" time={asked.from} />
      <Minute name="until" label="Until (UTC)" time={asked.until} />
      <div class="actions">
        <button type="submit">Filter</button>
        {isNarrowed(asked) && <a href={list}>Clear</a>}
      </div>
    </form>
  );
}

/** An HTTP status that was asked for by its number, of which several codes may be. */
function statusOf({ status = "" }: AskedRequests): (readonly [string, string])[] {
  return /^\d+$/.test(status) ? [[status, status]] : [];
}

function Choice(props: {
  name: string;
  label: string;
  chosen: string | undefined;
  options: readonly (readonly [string, string])[];
}) {
  const { name, label, chosen = "", options } = props;
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">All</option>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Minute({ name, label, time }: { name: string; label: string; time: Date | undefined }) {
  return (
    <label>
      {label}
      <input type="datetime-local" name={name} value={minuteIn(time)} />
    </label>
  );
}
