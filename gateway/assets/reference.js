// Starts Swagger UI, and makes its examples work as they stand: what is sent has a fresh idempotency key, and the ids of the reader's own.
const page = document.querySelector("#page");
const { key: exampleKey } = page.dataset;
const exampleIds = page.dataset.ids.split(" ");
/** By kind, such as `shp`, the id that this page was last answered. */
const lastIds = new Map();
let caller;

const kindOf = (id) => /^[a-zA-Z]*/.exec(id)[0];

// Swagger UI has a dark scheme, which it leaves to its page to choose.
const dark = matchMedia("(prefers-color-scheme: dark)");
const choose = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
choose();
dark.addEventListener("change", choose);

function ownIds(text) {
  return exampleIds.reduce((all, id) => all.replaceAll(id, lastIds.get(kindOf(id)) ?? id), text);
}

/** An order is optional: a shipment of the example needs none as long as there is none. */
function withoutMissingOrder(text) {
  try {
    const { order_id, ...body } = JSON.parse(text);
    const isMissing = exampleIds.includes(order_id) && !lastIds.has(kindOf(order_id));
    return isMissing ? JSON.stringify(body) : text;
  } catch {
    // What the reader wrote is sent as it is.
    return text;
  }
}

// `crypto.randomUUID` is there only with HTTPS and on this machine.
function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function requestInterceptor(request) {
  const { headers, body, loadSpec } = request;
  if (loadSpec) return request;
  if (headers.Authorization !== caller) lastIds.clear();
  caller = headers.Authorization;
  if (headers["Idempotency-Key"] === exampleKey) headers["Idempotency-Key"] = freshKey();
  request.url = ownIds(request.url);
  if (typeof body === "string") request.body = ownIds(withoutMissingOrder(body));
  return request;
}

function responseInterceptor(response) {
  const { id, tracking_number } = (response.ok && response.body?.data) || {};
  for (const one of [id, tracking_number]) if (one) lastIds.set(kindOf(one), one);
  return response;
}

SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor,
  responseInterceptor,
});
