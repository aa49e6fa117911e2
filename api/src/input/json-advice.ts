/** Mistakes in JSON: what stands before the fault without white space (at most two characters), what stands there, and what to write instead. */
const MISTAKES: readonly [before: RegExp, there: RegExp, advice: string][] = [
  [/\d,$/, /^\d/, "Write decimals with a point, such as 1.5."],
  [/,$/, /^[}\]]/, "Remove the comma before it."],
  [/^$/, /^[\w.[\]%-]{1,100}=/, "This is a form: send a JSON object."],
  [/^\[$/, /^object /, "This is how JavaScript prints an object: send what JSON.stringify returns."],
  [/^$/, /^(?:undefined|None)\b/, "This is a value that was never set."],
  [/^$/, /^@/, "This is the name of a file: with curl, send it with --data-binary @file."],
  [/^$/, /^</, "This is XML or HTML: send a JSON object."],
  [/$/, /^(?:None|True|False)\b/, "JSON has null, true and false: in Python, send what json.dumps returns."],
  [/$/, /^[-+]?(?:NaN|Infinity|nan|inf)\b/, "JSON has only finite numbers."],
  [/$/, /^['\u2018\u2019\u201c-\u201e]/, 'Use straight double quotes, as in "name".'],
  [/$/, /^\/[/*]/, "JSON has no comments: remove it."],
  [/$/, /^"[^"\\]{0,10000}[\0-\x1f]/, "End the string in its line, and write a line break in it as \\n."],
  [/[{,]$/, /^[A-Za-z_$]/, "Put the name in double quotes."],
];

/** Returns what to write instead, as a sentence after a space; empty if the mistake is not a frequent one. */
export function findAdvice(before: string, there: string): string {
  const last = before.trimEnd().slice(-2);
  const [, , advice] = MISTAKES.find(([left, right]) => left.test(last) && right.test(there)) ?? [];
  return advice === undefined ? "" : ` ${advice}`;
}
