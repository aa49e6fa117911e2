// "Try it": sends the request of the form as it is, with the reader's own IDs instead of those of the examples.
const section = document.querySelector("#try");
const form = section.querySelector("form");
const status = section.querySelector(".status");
const content = section.querySelector(".content");
const { key: keyField, body: bodyField } = form.elements;
const exampleIds = form.dataset.ids.split(" ");
const STORED = "try-it";
const SHOWN_HEADERS = ["x-request-id", "idempotency-replayed", "ratelimit", "retry-after"];

/** The key, and for each prefix, such as `shp`, the most recent ID in a response. They are kept in this tab only. */
let { key, ids } = { key: "", ids: {}, ...stored() };
/** The values that the script itself has put into fields. It does not overwrite the reader's own. */
const filled = new Map();

const kindOf = (id) => /^[a-zA-Z]*/.exec(id)[0];

// Some browsers have no storage, depending on their settings.
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED));
  } catch {
    return null;
  }
}

function store() {
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ key, ids }));
  } catch {
    // The value is kept for this page.
  }
}

function withOwnIds(text) {
  return exampleIds.reduce((all, id) => all.replaceAll(id, ids[kindOf(id)] ?? id), text);
}

/** `order_id` is optional: the example's shipment has none until there is an order. */
function withoutMissingOrder(text) {
  try {
    const { order_id, ...body } = JSON.parse(text);
    return exampleIds.includes(order_id) && !ids[kindOf(order_id)] ? JSON.stringify(body, null, 2) : text;
  } catch {
    // Text that the reader wrote is sent as it is.
    return text;
  }
}

/** Puts the reader's IDs into the fields that still have the script's values. */
function fill() {
  for (const field of form.querySelectorAll("[data-in], textarea")) {
    if (field.value === (filled.get(field) ?? field.defaultValue)) {
      field.value = withOwnIds(field === bodyField ? withoutMissingOrder(field.defaultValue) : field.defaultValue);
      filled.set(field, field.value);
    }
  }
  for (const hint of form.querySelectorAll("[data-example]")) hint.hidden = kindOf(hint.dataset.example) in ids;
}

function changeKey() {
  if (keyField.value.trim() !== key) ids = {};
  key = keyField.value.trim();
  const isLive = key.startsWith("service_live_");
  const warning = form.querySelector("[data-live]");
  warning.hidden = !isLive;
  warning.textContent = isLive ? "This is a live key. What you send changes your live records." : "";
  store();
  fill();
}

// `crypto.randomUUID` exists only over HTTPS and on localhost.
function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function requestOf() {
  const { method, path } = form.dataset;
  const fields = [...form.querySelectorAll("[data-in]")];
  const within = (place) => fields.filter((field) => field.dataset.in === place);
  const target = within("path").reduce(
    (all, { name, value }) => all.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  );
  const query = new URLSearchParams(
    within("query")
      .filter(({ value }) => value)
      .map(({ name, value }) => [name, value]),
  );
  const headers = { Authorization: `Bearer ${key}` };
  for (const { name, value } of within("header")) headers[name] = value || freshKey();
  if (bodyField) headers["Content-Type"] = "application/json";
  const asked = String(query);
  return [asked ? `${target}?${asked}` : target, { method, headers, body: bodyField?.value, cache: "no-store" }];
}

function element(name, text, attributes = {}) {
  const made = Object.assign(document.createElement(name), attributes);
  made.textContent = text;
  return made;
}

/** Reports the result, to screen readers too, and shows the response below. */
function show(kind, said, ...parts) {
  status.className = `status ${kind}`;
  status.replaceChildren(...said);
  content.replaceChildren(...parts);
}

/** The response: a file to save, JSON to read, or an empty body. */
async function contentOf(response) {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/pdf")) {
    const href = URL.createObjectURL(await response.blob());
    return [element("a", `Download ${form.dataset.file}`, { href, download: form.dataset.file, className: "button" })];
  }
  const text = await response.text();
  if (text === "") return [element("p", "The response has no body.")];
  const pre = element("pre", "", { tabIndex: 0 });
  pre.append(element("code", formatted(text)));
  learn(response, text);
  return [pre, ...adviceFor(text)];
}

function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function learn(response, text) {
  if (!response.ok) return;
  const { id, tracking_number } = JSON.parse(text).data ?? {};
  for (const one of [id, tracking_number])
    if (one && exampleIds.some((known) => kindOf(known) === kindOf(one))) ids[kindOf(one)] = one;
  store();
}

function adviceFor(text) {
  const code = /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1];
  if (!code || !document.getElementById(code)) return [];
  const advice = element("p", "What to do: ");
  advice.append(element("a", code, { href: `#${code}` }));
  return [advice];
}

function headersOf(response, sentKey) {
  const list = element("dl", "");
  const add = (name, value) => {
    const row = element("div", "");
    row.append(element("dt", name), element("dd", value));
    list.append(row);
  };
  for (const name of SHOWN_HEADERS) if (response.headers.has(name)) add(name, response.headers.get(name));
  if (sentKey) add("idempotency-key, as sent", sentKey);
  return list;
}

async function send(event) {
  event.preventDefault();
  changeKey();
  if (!key) {
    show("warning", ["Enter an API key first. A sandbox key is the safe choice."]);
    keyField.focus();
    return;
  }
  const button = form.querySelector("button");
  if (button.hasAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  show("", ["Sending…"]);
  try {
    const [target, request] = requestOf();
    const start = performance.now();
    const response = await fetch(target, request);
    const parts = await contentOf(response);
    const ms = Math.round(performance.now() - start);
    const code = element("strong", `${response.status} ${response.statusText}`.trim());
    const headers = headersOf(response, request.headers["Idempotency-Key"]);
    show(response.ok ? "good" : "bad", [code, ` in ${ms} ms`], headers, ...parts);
  } catch (error) {
    show("warning", [`The request failed: ${error.message}. It is not known whether the API has received it.`]);
  }
  button.removeAttribute("aria-disabled");
}

keyField.value = key;
keyField.addEventListener("input", changeKey);
form.addEventListener("submit", send);
changeKey();
section.hidden = false;
