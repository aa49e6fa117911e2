/** A request as it goes out; `path` is below the base URL. */
export interface Sending {
  method: "GET" | "POST" | "DELETE";
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** A request and its answer. */
export interface Exchange extends Sending {
  status: number;
  answered: Headers;
  bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at, not trusted to have a type.
  json: any;
}

/** No answer came, or not in time. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const TIMEOUT_MS = 30_000;
// Far more than any answer of the API has: the largest page is some megabytes.
const MAX_BYTES = 32 * 1024 * 1024;

/** Sends a request; follows no redirect, which could carry the key elsewhere. */
export async function exchange(baseUrl: string, sending: Sending): Promise<Exchange> {
  const { method, path, headers = {}, body } = sending;
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // As bytes: to a string, fetch would add a content type.
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
    const bytes = await bodyOf(response);
    return { ...sending, status: response.status, answered: response.headers, bytes, json: jsonIn(bytes) };
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? (error as Error).message;
    throw new NoAnswer(`${method} ${path} got no response: ${reason}`);
  }
}

async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop ends the response.
    if (size > MAX_BYTES) throw new Error(`its body is larger than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks);
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
