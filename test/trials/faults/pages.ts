import type { Fault } from "./fault.js";

export const pages: readonly Fault[] = [];
