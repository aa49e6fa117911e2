/** The states of orders, shipments, labels and tracking records, in words. */
export const STATES: Readonly<Record<string, { words: string; kind?: "good" | "danger" }>> = {
  received: { words: "Received" },
  draft: { words: "Draft" },
  label_created: { words: "Label created", kind: "good" },
  created: { words: "Created", kind: "good" },
  voided: { words: "Voided", kind: "danger" },
  pre_transit: { words: "Pre-transit" },
};

/** A state, at a glance. */
export function State({ state }: { state: string }) {
  const { words = state, kind } = STATES[state] ?? {};
  return <span class={kind ? `tag ${kind}` : "tag"}>{words}</span>;
}
