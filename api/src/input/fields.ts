import { type FieldError, failFields } from "@shipping/kit/errors";

/** The limits of a form's field or a query's parameter. */
export interface Field {
  /** The maximum length of a value in UTF-16 units, as browsers count it. */
  maxLength: number;
  /** The maximum number of values, for a list in a form. Other fields are sent once. */
  most?: number;
}

/** The fields of a form, or the parameters of a query, by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** Declares that no field of the form or query is read. */
export const NO_FIELDS: Fields = {};

/** An ID of any resource: a prefix of at most four letters and 27 characters. */
export const ID_FIELD: Field = { maxLength: 32 };

/** A search term. The limit is longer than any name, reference or ID. */
export const SEARCH_FIELD: Field = { maxLength: 255 };

/** The maximum length of a whole query, undecoded. The longest query that a page needs is the response of a sign-in provider. */
const MAX_QUERY_LENGTH = 8_000;

/** Checks the length of a query before it is decoded. Returns its fault, or undefined if it has none. */
export function findQueryFault(query: string): FieldError | undefined {
  if (query.length <= MAX_QUERY_LENGTH) return undefined;
  return { path: "query", message: `must have at most ${MAX_QUERY_LENGTH} characters` };
}

/** Reads the declared parameters in the query of a URL. All others are ignored, so that a page cannot read what it does not declare. */
export function readQuery(url: string, fields: Fields): URLSearchParams {
  const [, query = ""] = /\?(.*)/s.exec(url) ?? [];
  const fault = findQueryFault(query);
  if (fault) throw failFields([fault], "query");
  const declared = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(fields, name));
  const faults = declared.flatMap(([name, value]) => findFault(name, [value], fields));
  if (faults.length > 0) throw failFields(faults, "query");
  return new URLSearchParams(declared);
}

// A longer unknown name is shown cut to this length.
const MAX_NAME_LENGTH = 50;

/** Checks the values that were sent under a name, and returns their faults. */
export function findFault(name: string, values: readonly string[], fields: Fields): FieldError[] {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return [{ path: name.slice(0, MAX_NAME_LENGTH), message: "is not a known field: remove it" }];
  const { maxLength, most = 1 } = field;
  if (values.length > most) {
    return [
      { path: name, message: most === 1 ? "must not be repeated: send it once" : `must have at most ${most} values` },
    ];
  }
  const isWithin = values.every(({ length }) => length <= maxLength);
  return isWithin ? [] : [{ path: name, message: `must have at most ${maxLength} characters` }];
}
