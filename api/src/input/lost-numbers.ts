import { MAX_FIELDS } from "@shipping/kit/errors";

/** The path of a value in a JSON text: member names and indexes. */
export type Place = (string | number)[];

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:"[\]{}]+|[[\]{}]/g;

// Integers of up to fifteen digits are always exact, and a fraction needs hundreds of digits to become 0. Only longer numbers and exponents have to
// be checked one by one.
const SUSPICIOUS = /(?:^|[\s,:[])-?(?:\d{16}|[\d.]{300}|[\d.]+[eE])/;

/** The numbers in a JSON text that a double cannot represent: integers that would change, and numbers that would become 0 or infinite. */
export interface LostNumbers {
  /** The paths of the first lost numbers, in the order of the text, at most as many as a refusal can list. */
  places: readonly Place[];
  more: number;
}

export const NONE_LOST: LostNumbers = { places: [], more: 0 };

/** Finds the lost numbers in a JSON text that is valid and not nested too deep. If an object has duplicate members, only the last counts. */
export function findLostNumbers(text: string): LostNumbers {
  if (!SUSPICIOUS.test(text)) return NONE_LOST;
  const tokens = text.match(TOKEN) ?? [];
  const found: (Step | undefined)[] = [];
  let at = 0;

  function value(step: Step | undefined): void {
    const token = tokens[at++] ?? "";
    if (token === "{") object(step);
    else if (token === "[") array(step);
    else if (/^[-\d]/.test(token) && isLost(token)) found.push(step ?? WHOLE);
  }

  function object(above: Step | undefined): void {
    const members = new Map<string, { from: number; to: number }>();
    while (tokens[at] !== "}") {
      const name = JSON.parse(tokens[at++] ?? "");
      const sentBefore = members.get(name);
      if (sentBefore) found.fill(undefined, sentBefore.from, sentBefore.to);
      const from = found.length;
      value({ above, name });
      members.set(name, { from, to: found.length });
    }
    at++;
  }

  function array(above: Step | undefined): void {
    for (let index = 0; tokens[at] !== "]"; index++) value({ above, name: index });
    at++;
  }

  value(undefined);
  const lost = found.filter((step) => step !== undefined);
  return { places: lost.slice(0, MAX_FIELDS).map(toPlace), more: Math.max(0, lost.length - MAX_FIELDS) };
}

/** A path as a linked list from its end, so that thousands of paths share their prefixes. Copies at each level would take more memory than the text. */
interface Step {
  above: Step | undefined;
  name: string | number;
}

const WHOLE: Step = { above: undefined, name: "" };

function toPlace(last: Step): Place {
  const place: Place = [];
  for (let step: Step | undefined = last; step && step !== WHOLE; step = step.above) place.push(step.name);
  return place.reverse();
}

/**
 * Whether a double cannot represent a JSON number. A number with a fraction or an exponent stands for the nearest double, however many digits its
 * writer printed: PHP writes 0.1 as 0.10000000000000001. An integer must be exact, because an identifier that changes would be another one.
 */
function isLost(token: string): boolean {
  const double = Math.abs(Number(token));
  if (double === Number.POSITIVE_INFINITY) return true;
  if (double === 0) return NOT_ZERO.test(token);
  const [, digits] = INTEGER.exec(token) ?? [];
  return (
    digits !== undefined && digits.length > 15 && digits !== shortestForm(double) && BigInt(digits) !== BigInt(double)
  );
}

// The exponent has a digit after its "e".
const NOT_ZERO = /^[-.0]*[1-9]/;
const INTEGER = /^-?(\d+)$/;

/** The digits that other languages write for an integer above 2^53: enough to identify the double, followed by zeros. */
function shortestForm(double: number): string {
  const [mantissa = "", exponent] = double.toExponential().split("e");
  return mantissa.replace(".", "").padEnd(Number(exponent) + 1, "0");
}
