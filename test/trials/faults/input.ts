import type { Fault } from "./fault.js";

export const input: readonly Fault[] = [];
