import { request } from "undici";

/** The response of a page. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
  location: string | undefined;
}

export interface Sending {
  headers?: Record<string, string | string[]>;
  /** Replaces the visitor's own cookies. */
  cookie?: string;
}

/** A browser without a script: it keeps cookies, submits forms, and sends their origin. It passes on the fragment of a link, as the script does. */
export interface Visitor {
  /** `name=value` of each cookie. */
  cookies(): string;
  get(path: string, sending?: Sending): Promise<PageAnswer>;
  /** Sends a form as one of our pages would, unless the headers say otherwise. A link with a fragment is confirmed. */
  post(path: string, fields?: Fields | string, sending?: Sending): Promise<PageAnswer>;
  /** Opens a page and sends its form back, its own fields changed by `fields` and none added. */
  submit(path: string, fields?: Fields): Promise<PageAnswer>;
}

/** Overrides field by field; undefined removes a field. */
export type Fields = Record<string, string | readonly string[] | undefined>;

/**
 * A visitor who is not signed in. `origin` is scheme, host and port; `accountId` is the account that posted forms name, unless their path has a
 * query.
 */
export function newVisitor(origin: string, accountId?: string): Visitor {
  const jar = new Map<string, string>();

  async function send(
    method: "GET" | "POST",
    path: string,
    body: string | undefined,
    { headers, cookie }: Sending = {},
  ) {
    const own = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = cookie ?? own;
    const answer = await request(new URL(path, origin), {
      method,
      headers: { ...(sent && { cookie: sent }), ...headers },
      body: body ?? null,
    });
    // Optional line breaks are not part of the text.
    const html = (await answer.body.text()).replaceAll("<wbr/>", "");
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) keep(line);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      html,
      location: String(answer.headers.location ?? ""),
    };
  }

  function keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === "" || /max-age=0/i.test(line)) jar.delete(name);
    else jar.set(name, value);
  }

  const postAsItIs: Visitor["post"] = (path, fields = {}, sending = {}) =>
    send("POST", path, typeof fields === "string" ? fields : encode(fields), {
      ...sending,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
        ...sending.headers,
      },
    });

  const visitor: Visitor = {
    cookies: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    async get(path, sending) {
      const [page = "", link] = path.split("#");
      const shown = await send("GET", page, undefined, sending);
      return link === undefined ? shown : postAsItIs(actionOf(shown.html, page), { link }, sending);
    },
    post(path, fields, sending) {
      const [page = "", link] = path.split("#");
      if (link !== undefined) return postAsItIs(`${page}/confirm`, { link }, sending);
      return postAsItIs(accountId && !path.includes("?") ? `${path}?account_id=${accountId}` : path, fields, sending);
    },
    async submit(path, fields = {}) {
      const { status, html } = await visitor.get(path);
      if (status !== 200) throw new Error(`${path} answers ${status}.`);
      return postAsItIs(actionOf(html, path), { ...fieldsOf(html), ...fields });
    },
  };
  return visitor;
}

/** The body of a page's form with its current values. */
export function fieldsOf(html: string): Record<string, string | string[]> {
  const form = /<main[\s\S]*?<form[^>]*>([\s\S]*?)<\/form>/.exec(html)?.[1] ?? "";
  const fields: Record<string, string | string[]> = {};
  for (const [input = ""] of form.matchAll(/<input[^>]*>/g)) {
    const [name = "", value = "", type] = ["name", "value", "type"].map((wanted) => attribute(input, wanted));
    if (type !== "checkbox") fields[name] = value;
    else if (/\schecked/.test(input)) fields[name] = [fields[name] ?? [], value].flat();
  }
  for (const [, name = "", options = ""] of form.matchAll(/<select[^>]*name="(\w+)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const chosen = [...options.matchAll(/<option[^>]*>/g)].map(([option]) => option);
    fields[name] = attribute(chosen.find((option) => /\sselected/.test(option)) ?? chosen[0] ?? "", "value");
  }
  return fields;
}

/** The path of a link, with its fragment. */
export function pathIn(url: string): string {
  const { pathname, hash } = new URL(url);
  return pathname + hash;
}

/** The URL to which a page's form is sent, relative to the page. */
export function actionOf(html: string, path: string): string {
  const form = /<main[\s\S]*?(<form[^>]*>)/.exec(html)?.[1] ?? "";
  const { pathname, search } = new URL(attribute(form, "action") || path, new URL(path, "http://here"));
  return pathname + search;
}

export function attribute(tag: string, name: string): string {
  return decodeText(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? "");
}

/** The text of an HTML fragment. */
export function decodeText(html: string): string {
  const named: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };
  return html.replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => named[entity] ?? entity);
}

/** The text of `<output id="secret">`. */
export function secretIn(html: string): string | undefined {
  const shown = /<output id="secret"[^>]*>([^<]*)<\/output>/.exec(html)?.[1];
  return shown && decodeText(shown);
}

function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one as string]),
  );
  return new URLSearchParams(pairs).toString();
}
