import { type FieldError, failFields } from "@shipping/kit/errors";

/** What may be sent under the name of a form's field or a query's parameter. */
export interface Field {
  /** The most characters of a value, which are UTF-16 units, as browsers count them. */
  maxLength: number;
  /** The most values of a form's list. Other fields are sent once. */
  most?: number;
}

/** The fields of a form, or the parameters of a query, by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** The form or query has nothing in it that is read. */
export const NO_FIELDS: Fields = {};

/** An ID of any resource: a prefix of at most four letters and 27 characters. */
export const ID_FIELD: Field = { maxLength: 32 };

/** What somebody searches for: longer than any name, reference or ID. */
export const SEARCH_FIELD: Field = { maxLength: 255 };

/** The most characters of a whole query, undecoded. The longest that a page needs is the answer of a sign-in provider. */
const MAX_QUERY_LENGTH = 8_000;

/** What is wrong with a query before it is decoded; undefined if it may be. */
export function findQueryFault(query: string): FieldError | undefined {
  if (query.length <= MAX_QUERY_LENGTH) return undefined;
  return { path: "query", message: `must have at most ${MAX_QUERY_LENGTH} characters` };
}

/** The declared parameters in the query of a URL. All others are ignored, so that a page cannot read what it does not declare. */
export function readQuery(url: string, fields: Fields): URLSearchParams {
  const [, query = ""] = /\?(.*)/s.exec(url) ?? [];
  const fault = findQueryFault(query);
  if (fault) throw failFields([fault], "query");
  const declared = [...new URLSearchParams(query)].filter(([name]) => Object.hasOwn(fields, name));
  const faults = declared.flatMap(([name, value]) => findFault(name, [value], fields));
  if (faults.length > 0) throw failFields(faults, "query");
  return new URLSearchParams(declared);
}

// A name that is unknown is shown up to here.
const MAX_NAME_LENGTH = 50;

/** What is wrong with the values that were sent under a name. */
export function findFault(name: string, values: readonly string[], fields: Fields): FieldError[] {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return [{ path: name.slice(0, MAX_NAME_LENGTH), message: "is unknown: leave it out" }];
  const { maxLength, most = 1 } = field;
  if (values.length > most) {
    return [
      { path: name, message: most === 1 ? "must not be repeated: send it once" : `must have at most ${most} values` },
    ];
  }
  const isWithin = values.every(({ length }) => length <= maxLength);
  return isWithin ? [] : [{ path: name, message: `must have at most ${maxLength} characters` }];
}
