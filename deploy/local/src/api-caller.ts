/** An answer of the public API. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what the API answers is looked at, not typed, by those who try it.
  json: any;
  bytes: Buffer;
  ms: number;
}

/** A call of the public API. */
export interface ApiCall {
  method: "GET" | "POST" | "DELETE";
  path: string;
  key: string;
  idempotencyKey?: string;
  body?: unknown;
}

/** Calls the public API as an integrator would. */
export async function callApi(baseUrl: string, call: ApiCall): Promise<ApiAnswer> {
  const start = performance.now();
  const response = await fetch(`${baseUrl}${call.path}`, {
    method: call.method,
    headers: {
      authorization: `Bearer ${call.key}`,
      ...(call.idempotencyKey === undefined ? {} : { "idempotency-key": call.idempotencyKey }),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const json = isJson ? JSON.parse(bytes.toString()) : undefined;
  return { status: response.status, headers: response.headers, json, bytes, ms: performance.now() - start };
}
