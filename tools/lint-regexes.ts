import { findFaults, productionFiles, readRegexes } from "./check-regexes.js";
import { LISTED } from "./listed-regexes.js";

// The step of `npm run lint` that checks the regular expressions of production code.
const regexes = productionFiles().flatMap(readRegexes);
const faults = await findFaults(regexes, LISTED);
for (const fault of faults) console.error(fault);
console.log(`Checked ${regexes.length} regular expressions, ${LISTED.length} of them listed.`);
process.exitCode = faults.length > 0 ? 1 : 0;
