import type { Fault } from "./fault.js";

export const dispatch: readonly Fault[] = [];
