/** A request. `path` is relative to the base URL. */
export interface Sending {
  method: "GET" | "HEAD" | "POST" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

export interface Exchange extends Sending {
  status: number;
  responseHeaders: Headers;
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: checks verify responses, so their types are unknown.
  json: any;
}

const TIMEOUT_MS = 30_000;
// The largest page of the API has a few megabytes.
const MAX_BYTES = 32 * 1024 * 1024;

/** Sends a request. Throws if there is no response, or not in time. Does not follow redirects, because they could send the key elsewhere. */
export async function exchange(baseUrl: string, sending: Sending): Promise<Exchange> {
  const { method, path, headers = {}, body } = sending;
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // For a string, `fetch` would add a Content-Type.
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
    const bytes = await buildBody(response);
    return { ...sending, status: response.status, responseHeaders: response.headers, bytes, json: parseJson(bytes) };
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? (error as Error).message;
    throw new Error(`${method} ${path} got no response: ${reason}`);
  }
}

async function buildBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop cancels the response.
    if (size > MAX_BYTES) throw new Error(`its body is larger than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
