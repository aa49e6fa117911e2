import type { Check } from "./check.js";
import { accountAndKeyChecks, otherAccountChecks } from "./checks/accounts-and-keys.js";
import { contractChecks } from "./checks/contract.js";
import { deliveryChecks } from "./checks/deliveries.js";
import { errorChecks } from "./checks/errors.js";
import { everyAnswerChecks } from "./checks/every-answer.js";
import { idempotencyChecks } from "./checks/idempotency.js";
import { labelChecks, rateChecks } from "./checks/labels.js";
import { liveChecks, rateLimitChecks } from "./checks/limits.js";
import { listChecksOfLabels, listChecksOfRecords } from "./checks/lists.js";
import { recordFieldChecks } from "./checks/record-fields.js";
import { recordChecks } from "./checks/records.js";
import { disableChecks, subscriptionChecks, subscriptionLimitCheck } from "./checks/subscriptions.js";
import { versionChecks } from "./checks/versions.js";
import { trackingCheck, voidChecks } from "./checks/voids.js";

/** Checks in execution order: those that void or disable a fixture run after those that need it. */
export const checks: readonly Check[] = [
  ...recordChecks,
  ...rateChecks,
  ...labelChecks,
  ...subscriptionChecks,
  ...accountAndKeyChecks,
  ...versionChecks,
  ...otherAccountChecks,
  ...idempotencyChecks,
  trackingCheck,
  ...errorChecks,
  ...recordFieldChecks,
  ...listChecksOfRecords,
  ...listChecksOfLabels,
  ...contractChecks.beforeVoid,
  ...disableChecks,
  ...voidChecks,
  ...contractChecks.afterVoid,
  subscriptionLimitCheck,
  ...liveChecks,
  ...deliveryChecks,
  ...rateLimitChecks,
  ...everyAnswerChecks,
  ...contractChecks.overAll,
];
