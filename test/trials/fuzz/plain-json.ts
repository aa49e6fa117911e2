/** A second JSON parser that shares no code with the gateway's, as simple as possible: recursive, one character after the other. */
export interface PlainJson {
  depth: number;
  /** The path of each number in the value, and its notation. If members have the same name, the last counts. */
  numbers: { place: (string | number)[]; digits: string }[];
}

/** Reads a text that `JSON.parse` accepts. */
export function readPlainJson(text: string): PlainJson {
  let at = 0;
  let deepest = 0;
  const blanks = () => {
    while (/[ \t\n\r]/.test(text[at] ?? "")) at += 1;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    return JSON.parse(text.slice(start, ++at));
  };
  function value(place: (string | number)[], depth: number): PlainJson["numbers"] {
    deepest = Math.max(deepest, depth);
    blanks();
    const first = text[at] ?? "";
    if (first === "[" || first === "{") {
      const parts = new Map<string | number, PlainJson["numbers"]>();
      at += 1;
      for (blanks(); text[at] !== "]" && text[at] !== "}"; blanks()) {
        if (text[at] === ",") at += 1;
        blanks();
        const name = first === "[" ? parts.size : string();
        if (first === "{") blanks();
        if (first === "{") at += 1;
        // A repeated member moves to the end.
        const numbers = value([...place, name], depth + 1);
        parts.delete(name);
        parts.set(name, numbers);
      }
      at += 1;
      return [...parts.values()].flat();
    }
    if (first === '"') string();
    const digits = first === '"' ? "" : (/^[-+.\w]+/.exec(text.slice(at))?.[0] ?? "");
    at += digits.length;
    return /^[-\d]/.test(digits) ? [{ place, digits }] : [];
  }
  // A value that is neither array nor object is at depth 0.
  const numbers = value([], 0);
  return { depth: deepest, numbers };
}

/** Whether a double cannot represent a number: an integer that would become another one, or a number that would become 0 or infinite. */
export function isPlainlyLost(digits: string): boolean {
  const double = Number(digits);
  if (!Number.isFinite(double)) return true;
  if (double === 0) return /[1-9]/.test(digits.replace(/[eE].*/, ""));
  if (/[.eE]/.test(digits)) return false;
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:e\+(\d+))?$/.exec(String(double)) ?? [];
  const shortest = BigInt((whole + fraction).padEnd(whole.length + Number(exponent), "0"));
  const sent = BigInt(digits.replace("-", ""));
  return sent !== shortest && sent !== BigInt(Math.abs(double));
}
