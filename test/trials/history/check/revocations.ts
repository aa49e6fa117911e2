import { type Anomaly, type History, lineAbout } from "./operation.js";

/**
 * The anomalies of API keys: a request that began after a successful revocation is refused, and none is refused before the revocation was
 * requested.
 */
export function wrongAdmissions({ operations, revocations }: History): Anomaly[] {
  const byKey = new Map(revocations.map((revocation) => [revocation.apiKey, revocation]));
  return operations.flatMap((operation) => {
    const { apiKey, status, startMs, endMs } = operation;
    const revocation = byKey.get(apiKey);
    const isAdmitted = status > 0 && status < 500 && status !== 401;
    const seen = [lineAbout(operation)];
    if (revocation && isAdmitted && startMs > revocation.endMs) {
      const answered = `The revocation was answered at ${(revocation.endMs / 1000).toFixed(3)} s.`;
      return [{ rule: "A revoked API key was accepted.", subject: apiKey, seen: [answered, ...seen] }];
    }
    if (status === 401 && !(revocation && endMs > revocation.startMs)) {
      return [{ rule: "An API key was refused that had not been revoked.", subject: apiKey, seen }];
    }
    return [];
  });
}
