/** The name of a key. Keys created on the command line may have none. */
export function keyName({ name }: { name?: string | undefined }): string {
  return name ?? "API key";
}
