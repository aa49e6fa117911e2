import { eventually } from "@shipping/kit/testing/eventually";
import { RECORD } from "../api/platform.js";
import { useArea } from "./area.js";
import { wordsIn } from "./subscribers.js";
import { decodeText, type Visitor } from "./visitor.js";

const area = useArea();
const LIST = "/developers/sandbox/requests";
interface Sending {
  key: string;
  body?: unknown;
  idempotencyKey?: string;
  userAgent?: string;
}

/** Sends a request to the API, and yields its ID, its status and its response. */
async function send(method: string, path: string, { key, body, idempotencyKey, userAgent = "shop/1.0" }: Sending) {
  const answer = await fetch(area.stack().baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "user-agent": userAgent,
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { id: answer.headers.get("x-request-id") ?? "", status: answer.status, json: await answer.json() };
}

/** The page of a request, once it is written. */
const pageOf = (visitor: Visitor, id: string) =>
  eventually(async () => {
    const page = await visitor.get(`${LIST}/${id}`);
    expect(page.status).toBe(200);
    return page.html;
  });

const idsIn = (html: string) => [...html.matchAll(/requests\/(req_\w+)" class="row"/g)].map(([, id]) => id);
const linkTo = (html: string, rel: string) =>
  decodeText(new RegExp(`<a href="([^"]+)" rel="${rel}"`).exec(html)?.[1] ?? "");

describe("a request", () => {
  test("that made something is shown with key, resource and idempotency key, and its replay leads to it", async () => {
    const { visitor, accountId } = await area.signIn();
    const { key } = await area.stack().newKey(accountId);
    const first = await send("POST", "/orders", { key, body: RECORD, idempotencyKey: "order-1" });
    const again = await send("POST", "/orders", { key, body: RECORD, idempotencyKey: "order-1" });
    const replay = await pageOf(visitor, again.id);
    expect(replay).toContain(`<a href="${LIST}/${first.id}">${first.id}</a>`);
    const html = await pageOf(visitor, first.id);
    expect(html).toContain(`<a href="/developers/sandbox/orders/${first.json.data.id}">`);
    for (const text of ["201 Created", "POST", "order-1", "shop/1.0", "127.0.0.1", `…${key.slice(-4)}`]) {
      expect(wordsIn(html)).toContain(text);
    }
    const { html: found } = await visitor.get(`${LIST}?q=order-1`);
    expect(idsIn(found)).toEqual([again.id, first.id]);
    const { html: byResource } = await visitor.get(`${LIST}?q=${first.json.data.id}`);
    expect(idsIn(byResource)).toEqual([again.id, first.id]);
  });

  test("that was refused names the fields at fault, and leads to what its code means", async () => {
    const { visitor, accountId } = await area.signIn();
    const { key } = await area.stack().newKey(accountId);
    const body = { ...RECORD, to: { ...RECORD.to, country: "de" } };
    const { id } = await send("POST", "/orders", { key, body, idempotencyKey: "bad-1" });
    const html = await pageOf(visitor, id);
    expect(wordsIn(html)).toContain("to.country must be a two-letter country code in upper case");
    const [, guide = "", anchor = ""] = /href="(\/docs\/errors)#(\w+)"/.exec(html) ?? [];
    expect(anchor).toBe("invalid_request");
    expect((await visitor.get(guide)).html).toContain(`<tr id="${anchor}">`);
  });

  test("shows unusual text as text, and no part of a body", async () => {
    const { visitor, accountId } = await area.signIn();
    const { key } = await area.stack().newKey(accountId);
    const body = { ...RECORD, "<script>": "CONFIDENTIAL" };
    const userAgent = `<img src=x> ' " \\ {NULL}`;
    const { id } = await send("POST", "/orders", { key, body, idempotencyKey: `<b>"'\\`, userAgent });
    const html = await pageOf(visitor, id);
    for (const raw of ["<script>", "<img", "<b>", "CONFIDENTIAL"]) {
      expect(html.replace(/<script src=[^>]+>/g, "")).not.toContain(raw);
    }
    expect(decodeText(html)).toContain(userAgent);
    const { html: found } = await visitor.get(`${LIST}?q=${encodeURIComponent(`<b>"'\\`)}`);
    expect(idsIn(found)).toEqual([id]);
  });
});

describe("the list", () => {
  test("says what to do while it is empty, and what it does not have", async () => {
    const { visitor } = await area.signIn();
    const { html } = await visitor.get(LIST);
    expect(html).toContain("No requests yet");
    expect(wordsIn(html)).toContain("Request bodies are never stored");
    expect((await visitor.get(`${LIST}?q=nothing`)).html).toContain("Nothing found for <bdi>nothing</bdi>");
    expect((await visitor.get(`${LIST}?status=5xx`)).html).toContain("No requests match this filter");
  });

  test("is filtered by status, code, method, key and time, and keeps the filter from page to page", async () => {
    const { visitor, accountId } = await area.signIn();
    const one = await area.stack().newKey(accountId);
    const two = await area.stack().newKey(accountId);
    const made = await send("POST", "/orders", { key: one.key, body: RECORD, idempotencyKey: "a" });
    const missing = [];
    for (let n = 0; n < 55; n++) missing.push((await send("GET", "/orders/ord_nothing", { key: two.key })).id);
    await pageOf(visitor, missing.at(-1) ?? "");
    const shown = async (query: string) => idsIn((await visitor.get(`${LIST}?${query}`)).html);
    expect(await shown("status=2xx")).toEqual([made.id]);
    expect(await shown("status=409")).toEqual([]);
    expect(await shown("method=POST&status=")).toEqual([made.id]);
    expect(await shown(`key=${one.id}`)).toEqual([made.id]);
    expect(await shown("until=2020-01-01T00:00")).toEqual([]);
    const { html } = await visitor.get(`${LIST}?status=not_found&key=${two.id}&from=2020-01-01T00:00`);
    const next = linkTo(html, "next");
    expect(idsIn(html)).toHaveLength(50);
    expect(html).toContain('<option value="not_found" selected>');
    expect(next).toContain(`status=not_found&key=${two.id}&from=2020-01-01T00%3A00`);
    const { html: last } = await visitor.get(next);
    expect([...idsIn(html), ...idsIn(last)]).toEqual(missing.reverse());
    expect(linkTo(last, "prev")).toBe(`${LIST}?status=not_found&key=${two.id}&from=2020-01-01T00%3A00&zone=UTC`);
  });

  test("leads from a request's id to its page, and from a key's id to its requests", async () => {
    const { visitor, accountId } = await area.signIn();
    const { id: keyId, key } = await area.stack().newKey(accountId);
    const { id } = await send("GET", "/orders/ord_nothing", { key });
    await pageOf(visitor, id);
    expect(await visitor.get(`${LIST}?q=%20${id}%20`)).toMatchObject({ status: 303, location: `${LIST}/${id}` });
    expect(await visitor.get(`${LIST}?q=${keyId}`)).toMatchObject({ status: 303, location: `${LIST}?key=${keyId}` });
  });

  test("takes whatever the address holds", async () => {
    const { visitor } = await area.signIn();
    for (const query of [
      "status=nothing&method=PUT&key=x&from=x&until=9999-99-99T99:99&after=x&q=",
      "q=%00",
      "q=%ff%fe%ed%a0%80",
      `q=${"x".repeat(255)}&more=${"x".repeat(5_000)}`,
      "status=%00&method=%00&key=%00",
      "from=0000-01-01T00:00&until=9999-12-31T23:59",
      "after=req_mfrggzdfmztwq2lknnwg23tpoa",
      "status=4xx&status=5xx&q[]=1&__proto__=1",
    ]) {
      expect([query, (await visitor.get(`${LIST}?${query}`)).status]).toEqual([query, 200]);
    }
  });
});
