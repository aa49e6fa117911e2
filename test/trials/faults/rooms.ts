import { admission } from "./admission.js";
import { dispatch } from "./dispatch.js";
import type { Fault } from "./fault.js";
import { idempotency } from "./idempotency.js";
import { input } from "./input.js";
import { pages } from "./pages.js";

/** The planted faults by the room whose promises they break. */
export const rooms: Record<string, readonly Fault[]> = { idempotency, admission, dispatch, input, pages };
