/** Sends the client's requests to the platform, with the key. */
export async function send<Answer>(path: string, { headers, ...options }: RequestInit): Promise<Answer> {
  const response = await fetch(`${process.env.SHIPPING_URL}${path}`, {
    ...options,
    headers: { ...(headers as Record<string, string>), Authorization: `Bearer ${process.env.SHIPPING_KEY}` },
  });
  const isJson = response.headers.get("content-type") === "application/json";
  const data = isJson ? await response.json() : await response.blob();
  return { data, status: response.status, headers: response.headers } as Answer;
}
