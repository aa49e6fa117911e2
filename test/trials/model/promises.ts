import type { Request, State } from "./state.js";

/** The promise that this state breaks, if any. */
export function brokenPromise(before: State, state: State): string | undefined {
  const { executed, requests, row } = state;
  if (executed.length > 1) return "executed twice";
  if (row?.state === "done" && executed.length === 0) return "done without a result";
  for (const [index, request] of requests.entries()) {
    const broken = brokenAnswer(request, before.requests[index]!, state);
    if (broken) return broken;
  }
  return undefined;
}

function brokenAnswer(request: Request, before: Request, { executed }: State): string | undefined {
  const { answer, letter, claim } = request;
  if ((answer === "snapshot" || answer === "replay") && executed[0]?.letter !== letter) {
    return "success answered, but not executed";
  }
  if (answer === "conflict" && executed.every((claim) => claim.letter === letter)) {
    return "conflict answered, but no other request executed";
  }
  if (answer !== "refused") return undefined;
  if (executed.some(({ token }) => token === claim?.token)) return "refusal answered, but executed";
  if (!before.answer && executed[0]?.letter === letter) return "refusal answered after an equal success";
  return undefined;
}
