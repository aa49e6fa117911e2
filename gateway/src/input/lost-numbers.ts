import { MAX_FIELDS } from "@shipping/kit/errors";

/** Where a value stands in a JSON text: the names and indexes that lead to it. */
export type Place = (string | number)[];

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:"[\]{}]+|[[\]{}]/g;

// Up to fifteen digits are always exact. Only longer numbers, or an exponent, require checking each number.
const REMARKABLE = /(?:^|[\s,:[])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Numbers of a JSON text that double precision does not preserve: stored, they would change. */
export interface LostNumbers {
  /** Where the first stand that a refusal can name, in the order of the text. */
  places: readonly Place[];
  /** How many there are beyond those. */
  more: number;
}

/** Of a text that has none. */
export const NONE_LOST: LostNumbers = { places: [], more: 0 };

/**
 * The numbers that are lost of a JSON text that is valid and not deep. A member that is sent again under the same name does not count,
 * nor what is in it.
 */
export function lostNumbers(text: string): LostNumbers {
  if (!REMARKABLE.test(text)) return NONE_LOST;
  const tokens = text.match(TOKEN) ?? [];
  const found: (Step | undefined)[] = [];
  let at = 0;

  function value(step: Step | undefined): void {
    const token = tokens[at++] ?? "";
    if (token === "{") object(step);
    else if (token === "[") array(step);
    else if (isNumber(token) && !isKept(token)) found.push(step ?? WHOLE);
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
  return { places: lost.slice(0, MAX_FIELDS).map(placeOf), more: Math.max(0, lost.length - MAX_FIELDS) };
}

/** The last step of a place. Thousands of places share the steps above them: copied at each level, they would cost more than the text. */
interface Step {
  above: Step | undefined;
  name: string | number;
}

const WHOLE: Step = { above: undefined, name: "" };

function placeOf(last: Step): Place {
  const place: Place = [];
  for (let step: Step | undefined = last; step && step !== WHOLE; step = step.above) place.push(step.name);
  return place.reverse();
}

function isNumber(token: string): boolean {
  return /^[-\d]/.test(token);
}

/** True if a JSON number keeps its value when it is read as a double. */
function isKept(token: string): boolean {
  const double = Number(token);
  const writtenAs = String(double);
  if (INTEGER.test(token) && INTEGER.test(writtenAs)) return writtenAs === token || double === 0;
  return Number.isFinite(double) && decimal(writtenAs) === decimal(token);
}

const INTEGER = /^-?\d+$/;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

/** A number's digits, without zeros at either end, and its exponent: equal for equal numbers, whose signs are not looked at. */
function decimal(token: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = PARTS.exec(token) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.slice(0, lastNonZero(digits) + 1);
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

// Not /0+$/, which looks at each run of zeros again from each of its zeros.
function lastNonZero(digits: string): number {
  let last = digits.length - 1;
  while (digits[last] === "0") last--;
  return last;
}
