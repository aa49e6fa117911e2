const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const BLANKS = " \t\n\r";
const SIGNS = "[]{},:";

/** The tokens that may come next. */
enum Next {
  Value,
  ValueOrEnd,
  Name,
  NameOrEnd,
  Colon,
  CommaOrEnd,
}

const startsValue = (next: Next) => next === Next.Value || next === Next.ValueOrEnd;

/**
 * Whether a text is JSON (RFC 8259). Makes nothing of it: of a body that is brackets and little else, `JSON.parse` makes so many arrays within
 * arrays that the garbage collector stops the process for longer than the parser.
 */
export function isJson(text: string): boolean {
  const open: string[] = [];
  let next: Next | undefined = Next.Value;
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? "";
    if (BLANKS.includes(character)) {
      at++;
      continue;
    }
    if (open.length === 0 && next === Next.CommaOrEnd) return false;
    if (SIGNS.includes(character)) {
      next = after(next, character, open);
      at++;
    } else {
      const form = character === '"' ? STRING : SCALAR;
      form.lastIndex = at;
      if (!form.test(text)) return false;
      next = after(next, character === '"' ? "string" : "scalar", open);
      at = form.lastIndex;
    }
    if (next === undefined) return false;
  }
  return open.length === 0 && next === Next.CommaOrEnd;
}

/** The tokens that may follow this one, or undefined if it may not stand here. Keeps track of open brackets. */
function after(next: Next, token: string, open: string[]): Next | undefined {
  switch (token) {
    case "[":
    case "{":
      if (!startsValue(next)) return undefined;
      open.push(token);
      return token === "[" ? Next.ValueOrEnd : Next.NameOrEnd;
    case "]":
      return ends(next, Next.ValueOrEnd) && open.pop() === "[" ? Next.CommaOrEnd : undefined;
    case "}":
      return ends(next, Next.NameOrEnd) && open.pop() === "{" ? Next.CommaOrEnd : undefined;
    case ",":
      if (next !== Next.CommaOrEnd) return undefined;
      return open.at(-1) === "[" ? Next.Value : Next.Name;
    case ":":
      return next === Next.Colon ? Next.Value : undefined;
    case "string":
      if (next === Next.Name || next === Next.NameOrEnd) return Next.Colon;
      return startsValue(next) ? Next.CommaOrEnd : undefined;
    default:
      return startsValue(next) ? Next.CommaOrEnd : undefined;
  }
}

const ends = (next: Next, whenEmpty: Next) => next === Next.CommaOrEnd || next === whenEmpty;
