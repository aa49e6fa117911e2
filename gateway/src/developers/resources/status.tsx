/** The statuses of orders, shipments, labels and tracking records, in words. */
export const STATUSES: Readonly<Record<string, { words: string; kind?: "good" | "danger" }>> = {
  received: { words: "Received" },
  draft: { words: "Draft" },
  label_created: { words: "Label created", kind: "good" },
  created: { words: "Created", kind: "good" },
  voided: { words: "Voided", kind: "danger" },
  pre_transit: { words: "Pre-transit" },
};

/** A status, at a glance. */
export function Status({ status }: { status: string }) {
  const { words = status, kind } = STATUSES[status] ?? {};
  return <span class={kind ? `tag ${kind}` : "tag"}>{words}</span>;
}
