import { codeIn, type Operation, outcomeIn, type Resource } from "./operation.js";

/** The state of an idempotency key: unused, or a request and its response, as far as that is known. */
export type KeyState = { request: string; answer?: string } | null;

/** A request with an idempotency key: the first request that succeeds takes the key, and its response is that of all others. */
export function keyAfter(operation: Operation): (state: KeyState) => readonly KeyState[] {
  const request = requestIn(operation);
  const answer = `${operation.status} ${operation.text}`;
  switch (outcomeIn(operation)) {
    case "not admitted":
      return (state) => [state];
    case "unknown":
      return (state) => [state ?? { request }];
    case "refused":
      if (codeIn(operation) !== "idempotency_conflict") return (state) => (state ? [] : [state]);
      return (state) => (state && state.request !== request ? [state] : []);
    case "done":
      if (!operation.replayed) return (state) => (state ? [] : [{ request, answer }]);
      return (state) => {
        if (state?.request !== request) return [];
        return state.answer === undefined ? [{ request, answer }] : same(state.answer === answer, state);
      };
  }
}

/** The identity of a request: method, path and content. */
export function requestIn({ method, path, body }: Operation): string {
  return `${method} ${path} ${JSON.stringify(body)}`;
}

/**
 * A resource that is created once and ended at most once: an order or a shipment (never ended), a label (voided), a subscription (disabled).
 * `fixed` is the part that never changes, `end` the part that its end has added; undefined until a response shows it.
 */
export type LifeState = { fixed?: string; ended: boolean; end?: string } | null;

/** An observation of a life, or a change of it. */
export type LifeStep =
  | { does: "create"; resource?: Resource; isReplay?: boolean }
  | { does: "end"; resource?: Resource; isReplay?: boolean }
  | { does: "show"; resource: Resource }
  /** Without its content: existing and not ended, ended, or missing. */
  | { does: "imply"; status: "living" | "ended" | "absent" };

const NONE: readonly LifeState[] = [];

/** The states of a life after a step. */
export function lifeAfter(step: LifeStep): (state: LifeState) => readonly LifeState[] {
  switch (step.does) {
    case "imply":
      return (state) => same(step.status === (state ? (state.ended ? "ended" : "living") : "absent"), state);
    case "show":
      return (state) => shown(state, step.resource);
    case "create": {
      const { resource, isReplay } = step;
      if (!resource) return (state) => [state ?? { ended: false }];
      // A replay shows the resource at the time of the original response.
      if (isReplay) return (state) => (state ? learned(state, resource) : NONE);
      return (state) => (state ? NONE : [{ fixed: fixedPart(resource), ended: false }]);
    }
    case "end": {
      const { resource } = step;
      if (!resource) return (state) => [state && !state.ended ? { ...state, ended: true } : state];
      if (step.isReplay) return (state) => (state?.ended ? shown(state, resource) : NONE);
      // Ending it again returns it unchanged.
      return (state) => (state ? shown(state.ended ? state : { ...state, ended: true }, resource) : NONE);
    }
  }
}

/** The state after a read, if the read is possible in this state, with its new information. */
function shown(state: LifeState, resource: Resource): readonly LifeState[] {
  if (!state || isEnded(resource) !== state.ended) return NONE;
  if (!state.ended) return learned(state, resource);
  const end = endIn(resource);
  if (state.end !== undefined) return state.end === end ? learned(state, resource) : NONE;
  return learned({ ...state, end }, resource);
}

function learned(state: NonNullable<LifeState>, resource: Resource): readonly LifeState[] {
  const fixed = fixedPart(resource);
  if (state.fixed === undefined) return [{ ...state, fixed }];
  return same(state.fixed === fixed, state);
}

function same<State>(isPossible: boolean, state: State): readonly State[] {
  return isPossible ? [state] : [];
}

/** Whether a label is voided, or a subscription disabled. A shipment's status is a copy of its label's, judged elsewhere. */
export function isEnded({ object, status }: Resource): boolean {
  return (object === "label" && status === "voided") || status === "disabled";
}

function endIn({ voided_at, disabled_at }: Resource): string {
  return String(voided_at ?? disabled_at);
}

// `secret` is only in one response; `status` and `label_id` of a shipment are copies.
const CHANGING = new Set(["status", "voided_at", "disabled_at", "secret", "label_id"]);

function fixedPart(resource: Resource): string {
  return JSON.stringify(Object.entries(resource).filter(([name]) => !CHANGING.has(name)));
}
