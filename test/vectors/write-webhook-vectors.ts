import { writeFileSync } from "node:fs";
import { vectorsText } from "./webhook-vectors.js";

// Run by hand when the vectors have changed: npx tsx --conditions=source test/vectors/write-webhook-vectors.ts
writeFileSync(new URL("../../docs/webhook-vectors.json", import.meta.url), vectorsText());
