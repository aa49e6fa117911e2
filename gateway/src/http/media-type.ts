import type { IncomingMessage } from "node:http";

type Headers = Pick<IncomingMessage, "headersDistinct">;

const EMPTY = /^[ \t]*$/;
const CHARSET = /^[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** True if the headers announce a body of this type exactly once, in UTF-8 and not compressed. Parameters may be empty (RFC 9110, 5.6.6). */
export function isPlain({ headersDistinct: sent }: Headers, type: string): boolean {
  const [contentType, ...others] = sent["content-type"] ?? [];
  if (contentType === undefined || others.length > 0 || !isOfType(contentType, type)) return false;
  return isOnly(sent["content-encoding"], "identity") && isOnly(sent["transfer-encoding"], "chunked");
}

function isOfType(contentType: string, type: string): boolean {
  // No type that is asked for takes a parameter with a semicolon in it.
  const [name = "", ...parameters] = contentType.split(";");
  const given = parameters.filter((parameter) => !EMPTY.test(parameter));
  const isNamed = name.slice(0, type.length).toLowerCase() === type && EMPTY.test(name.slice(type.length));
  return isNamed && given.length <= 1 && given.every((one) => CHARSET.test(one));
}

function isOnly(values: readonly string[] | undefined, value: string): boolean {
  return !values || values.join().toLowerCase() === value;
}
