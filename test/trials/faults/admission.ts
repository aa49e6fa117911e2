import type { Fault } from "./fault.js";

export const admission: readonly Fault[] = [
  {
    breaks: "a key with a wrong checksum is refused without a look-up",
    file: "gateway/src/admission/api-key.ts",
    original: "if (key.slice(-CHECKSUM_LENGTH) !== checksum(key.slice(0, -CHECKSUM_LENGTH))) return undefined;",
    replacement: "",
    noticedBy: "gateway/src/admission/api-key.test.ts",
  },
];
