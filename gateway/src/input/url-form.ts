// The form of a subscription's URL, as JSON Schema says it; the webhooks service, which owns the rules, says which one a URL breaks.

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
// Printable ASCII without `#` and backslash.
const REST = '[/?][!"$-\\[\\]-~]*';

// A host that ends in a number is an IP address, in one spelling or another.
const NUMBER = "[0-9]+|0[Xx][0-9A-Fa-f]*";
const RESERVED = ["localhost", "local", "internal", "home\\.arpa", "onion", "test", "invalid", "svc"].map(inAnyCase);
const TOO_LONG = "[^/?:]{254}";
const NOT_PUBLIC = `([^/?:]*\\.)?(${[NUMBER, ...RESERVED].join("|")})([/?:]|$)`;

/** The rules for a subscription's URL that JSON Schema can express. */
export const urlForm = {
  pattern: `^${inAnyCase("https")}://(${LABEL}\\.)+${LABEL}(:(0*443)?)?(${REST})?$`,
  not: { pattern: `^[^/]*//(${TOO_LONG}|${NOT_PUBLIC})` },
  maxLength: 2048,
};

/** Patterns have no flags. */
function inAnyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}
