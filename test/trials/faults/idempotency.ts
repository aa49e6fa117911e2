import type { Fault } from "./fault.js";

export const idempotency: readonly Fault[] = [];
