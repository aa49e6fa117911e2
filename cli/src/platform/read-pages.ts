/** The most rows that one call returns. */
export const PAGE = 100;

interface PageOf<T> {
  rows: readonly T[];
  nextCursor?: string | undefined;
}

/** Reads up to `limit` rows, page after page. */
export async function readPages<T>(
  limit: number,
  read: (page: { limit: number; after?: string }) => Promise<PageOf<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | undefined; ; ) {
    const { rows, nextCursor } = await read({ limit: Math.min(limit - all.length, PAGE), ...(after && { after }) });
    all.push(...rows);
    if (nextCursor === undefined || all.length >= limit) return all;
    after = nextCursor;
  }
}
