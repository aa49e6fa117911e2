/** Stores a value under its key. The newest `max` values are kept. */
export function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, max: number): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest = key] = kept.keys();
  if (kept.size > max) kept.delete(oldest);
}
