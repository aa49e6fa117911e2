import { AckPolicy, type ConsumerConfig, DiscardPolicy, type StreamConfig } from "@nats-io/jetstream";

// An operator can make or change a stream and a consumer by hand. Whatever such a change can add, and would lose or hold events, is set back with
// each update.

/** Removes a property from the settings that are sent; the types of the client know no other way. */
const REMOVED = undefined as never;

/** The settings of a stream without limits set by hand. Its size and age have settings of their own. */
export const UNLIMITED_STREAM = {
  discard: DiscardPolicy.Old,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  discard_new_per_subject: false,
  no_ack: false,
  subject_transform: REMOVED,
};

/** The settings of a consumer that gets every event whole, and gives it to whoever asks. */
export const UNFILTERED_CONSUMER = {
  filter_subject: REMOVED,
  filter_subjects: REMOVED,
  headers_only: false,
  max_batch: 0,
  max_bytes: 0,
  max_expires: 0,
  inactive_threshold: 0,
  backoff: [],
};

/** Says why events cannot be stored in a stream, or are lost there; undefined for a stream without such settings. */
export function findStreamFlaw(config: Partial<StreamConfig>, subject: string): string | undefined {
  const { subjects = [], discard, max_msgs = -1, max_msgs_per_subject = -1, max_msg_size = -1, no_ack } = config;
  const limits = Object.entries({ max_msgs, max_msgs_per_subject, max_msg_size }).filter(([, value]) => value > 0);
  const flaws = [
    ...limits.map(([name, value]) => `${name} is ${value}`),
    ...(subjects.includes(subject) ? [] : [`its subjects are ${subjects.join(", ") || "none"}`]),
    ...(discard === DiscardPolicy.New ? ["it refuses new events when it is full (discard is new)"] : []),
    ...(no_ack ? ["it confirms no event (no_ack)"] : []),
    ...(config.sealed ? ["it is sealed"] : []),
    ...(config.subject_transform ? ["it changes subjects (subject_transform)"] : []),
  ];
  return flaws.length === 0 ? undefined : flaws.join("; ");
}

/** Says why events do not arrive through a consumer; undefined for one without such settings. */
export function findConsumerFlaw(config: Partial<ConsumerConfig>): string | undefined {
  const filters = config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []);
  const flaws = [
    ...(config.deliver_subject ? [`it pushes events to ${config.deliver_subject}`] : []),
    ...(config.ack_policy === AckPolicy.Explicit ? [] : [`its ack policy is ${config.ack_policy}`]),
    ...(filters.length > 0 ? [`it only gets ${filters.join(", ")}`] : []),
    ...(config.headers_only ? ["it gets no bodies (headers_only)"] : []),
  ];
  return flaws.length === 0 ? undefined : flaws.join("; ");
}
