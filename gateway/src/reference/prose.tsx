/** A sentence in which code stands between backticks. */
export function Prose({ children }: { children: string }) {
  return <>{children.split("`").map((part, index) => (index % 2 ? <code>{part}</code> : part))}</>;
}
