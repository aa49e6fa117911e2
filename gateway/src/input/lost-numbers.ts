import { MAX_FIELDS } from "@shipping/kit/errors";

/** The path of a value in a JSON text: member names and indexes. */
export type Place = (string | number)[];

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:"[\]{}]+|[[\]{}]/g;

// Up to fifteen digits are always exact. Only longer numbers, or an exponent, require checking each number.
const SUSPICIOUS = /(?:^|[\s,:[])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The numbers in a JSON text that double precision cannot represent exactly: stored, they would change. */
export interface LostNumbers {
  /** The paths of the first ones, as many as a refusal can name, in the order of the text. */
  places: readonly Place[];
  more: number;
}

export const NONE_LOST: LostNumbers = { places: [], more: 0 };

/** Finds these numbers in a JSON text that is valid and not nested too deep. Of duplicate members, only the last counts. */
export function findLostNumbers(text: string): LostNumbers {
  if (!SUSPICIOUS.test(text)) return NONE_LOST;
  const tokens = text.match(TOKEN) ?? [];
  const found: (Step | undefined)[] = [];
  let at = 0;

  function value(step: Step | undefined): void {
    const token = tokens[at++] ?? "";
    if (token === "{") object(step);
    else if (token === "[") array(step);
    else if (/^[-\d]/.test(token) && !isExact(token)) found.push(step ?? WHOLE);
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

/** Whether a JSON number keeps its value when it is read as a double. */
function isExact(token: string): boolean {
  const double = Number(token);
  const writtenAs = String(double);
  if (INTEGER.test(token) && INTEGER.test(writtenAs)) return writtenAs === token || double === 0;
  return Number.isFinite(double) && decimal(writtenAs) === decimal(token);
}

const INTEGER = /^-?\d+$/;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

/** The absolute value of a number in a normal form: significant digits and exponent. */
function decimal(token: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = PARTS.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.slice(0, lastNonZero(digits) + 1);
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

// Not /0+$/, which takes quadratic time for long runs of zeros.
function lastNonZero(digits: string): number {
  let last = digits.length - 1;
  while (digits[last] === "0") last--;
  return last;
}
