import type { Reading } from "./measure-growth.js";

/** A reader of text with several of its worst shapes: each makes a text of about that many characters. */
export interface Reader<Input = string> {
  reader: string;
  most: number;
  shapes: Readonly<Record<string, (size: number) => string>>;
  /** What others make of the text before it is read here. */
  given(text: string): Input;
  read(input: Input): unknown;
}

/** Nothing is made of the text. */
export const asSent = (text: string) => text;

/** The same part again and again. */
export const fill = (part: string) => (size: number) => part.repeat(Math.ceil(size / part.length));

/** Parts that differ in their number. */
export const numbered = (part: (n: number) => string) => (size: number) => {
  const parts: string[] = [];
  for (let length = 0, n = 0; length < size; n++) {
    parts.push(part(n));
    length += part(n).length;
  }
  return parts.join("");
};

/** Texts that look like a secret almost everywhere, for those who look for one. */
export const nearlySecret: Reader["shapes"] = {
  "a scheme of many parts": (size) => `${"a.".repeat(size / 2)}://`,
  "users without a password": fill("a://a:"),
  "a password without an end": (size) => `a://a:${"a:".repeat(size / 2)}`,
  "the scheme of a key again and again": fill("Bearer "),
  "spaces behind the scheme of a key": (size) => `Bearer${" ".repeat(size)}`,
  "beginnings of keys": fill("service_test_"),
  "a header without an end": (size) => `"authorization":"${"\\a".repeat(size / 2)}`,
};

/** A reading for each shape. A refusal ends a reading like any other. */
export function readingsOf<Input>({ reader, most, shapes, given, read }: Reader<Input>): Reading[] {
  return Object.entries(shapes).map(([shape, make]) => ({
    reader,
    shape,
    most,
    prepare(size) {
      // As it comes from the wire: in one piece, not in those that it was made of.
      const input = given(Buffer.from(make(size)).toString());
      return () => {
        try {
          return read(input);
        } catch (error) {
          return error;
        }
      };
    },
  }));
}
