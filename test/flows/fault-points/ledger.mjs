import { createLedger as create } from "@shipping/kit/ledger/ledger";
import { between } from "./points.mjs";

export * from "@shipping/kit/ledger/ledger";

/** A ledger whose statements have the points `before-statement` and `after-commit`. */
export function createLedger(...options) {
  const ledger = create(...options);
  const around = (run) => between("before-statement", "after-commit", run);
  return {
    ...ledger,
    execute: (...writes) => around(() => ledger.execute(...writes)),
    executeCreations: (...writes) => around(() => ledger.executeCreations(...writes)),
  };
}
