/** Where a value stands in a JSON text: the names and indexes that lead to it. */
export type Place = (string | number)[];

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:"[\]{}]+|[[\]{}]/g;

// Up to fifteen digits are kept, whatever they are. Only more of them, or an exponent, are worth the look at each number.
const REMARKABLE = /(?:^|[\s,:[])-?(?:[\d.]{16}|[\d.]+[eE])/;

/**
 * The places of the numbers that double precision does not keep: stored, they would be others. Takes a JSON text that is valid and not deep.
 * A member that is sent again under the same name does not count, nor what is in it.
 */
export function lostNumbers(text: string): Place[] {
  if (!REMARKABLE.test(text)) return [];
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;

  function value(step: Step | undefined): Step[] {
    const token = tokens[at++] ?? "";
    if (token === "{") return object(step);
    if (token === "[") return array(step);
    return isNumber(token) && !isKept(token) ? [step ?? WHOLE] : [];
  }

  function object(above: Step | undefined): Step[] {
    const members = new Map<string, Step[]>();
    while (tokens[at] !== "}") {
      const name = JSON.parse(tokens[at++] ?? "");
      members.set(name, value({ above, name }));
    }
    at++;
    return [...members.values()].flat();
  }

  function array(above: Step | undefined): Step[] {
    const elements: Step[][] = [];
    while (tokens[at] !== "]") elements.push(value({ above, name: elements.length }));
    at++;
    return elements.flat();
  }

  return value(undefined).map(placeOf);
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

/** Whether the double that is nearest to a JSON number is written as that same number. */
function isKept(token: string): boolean {
  const double = Number(token);
  return Number.isFinite(double) && decimal(String(double)) === decimal(token);
}

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
