import type { Reading } from "./measure-growth.js";

/** A reader of text with several of its worst shapes: each makes a text of about that many characters. */
export interface Reader<Input = string> {
  reader: string;
  most: number;
  shapes: Readonly<Record<string, (size: number) => string>>;
  /** How earlier code transforms the text before this reader gets it. */
  given(text: string): Input;
  read(input: Input): unknown;
}

/** Leaves the text unchanged. */
export const asSent = (text: string) => text;

/** Repeats one part. */
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

/** Texts that resemble a secret almost everywhere, for code that searches for one. */
export const nearlySecret: Reader["shapes"] = {
  "a scheme of many parts": (size) => `${"a.".repeat(size / 2)}://`,
  "users without a password": fill("a://a:"),
  "a password without an end": (size) => `a://a:${"a:".repeat(size / 2)}`,
  "the scheme of a key again and again": fill("Bearer "),
  "spaces behind the scheme of a key": (size) => `Bearer${" ".repeat(size)}`,
  "beginnings of keys": fill("service_test_"),
  "a header without an end": (size) => `"authorization":"${"\\a".repeat(size / 2)}`,
};

/** A reading for each shape. An error ends a reading like a success. */
export function readingsOf<Input>({ reader, most, shapes, given, read }: Reader<Input>): Reading[] {
  return Object.entries(shapes).map(([shape, make]) => ({
    reader,
    shape,
    most,
    prepare(size) {
      // Flattened into one string, as from the wire, instead of a rope of concatenated parts.
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
