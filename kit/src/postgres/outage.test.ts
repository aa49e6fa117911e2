import pg from "pg";
import { isRefusal, statementError } from "./outage.js";
import { isRefusedStart } from "./pooler.js";

test.each([
  ["25006", false],
  ["57P01", true],
  ["08006", true],
  ["40001", true],
  ["53100", true],
  ["53200", true],
  ["53300", true],
  ["54001", true],
  ["58030", true],
  ["55P03", false],
  ["57014", false],
  ["40P01", false],
])("SQLSTATE %s is an outage, after which a statement may have run: %p", (code, mayHaveRun) => {
  const error = Object.assign(new pg.DatabaseError("gone", 1, "error"), { code });
  expect(statementError(error)).toMatchObject({ name: "DatabaseOutage", message: "gone", mayHaveRun, cause: error });
});

test.each([
  Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" }),
  new Error("Connection terminated unexpectedly"),
  new Error("Query read timeout"),
  new Error("Client has encountered a connection error and is not queryable"),
])("$message: is an outage, after which a statement may have run", (error) => {
  expect(statementError(error)).toMatchObject({ name: "DatabaseOutage", mayHaveRun: true, cause: error });
  expect(statementError(statementError(error))).toMatchObject({ cause: error });
});

test.each([
  Object.assign(new pg.DatabaseError("taken", 1, "error"), { code: "23505" }),
  Object.assign(new pg.DatabaseError("too late a date", 1, "error"), { code: "22008" }),
  Object.assign(new pg.DatabaseError("in a failed transaction", 1, "error"), { code: "25P02" }),
  Object.assign(new Error("another's code"), { code: "UND_ECONN" }),
  new Error("A value says: Connection terminated"),
  Object.assign(new TypeError("no text"), { code: "ERR_INVALID_ARG_TYPE" }),
  new Error("A query must have either text or a name."),
])("$message: is not an outage", (error) => {
  expect(statementError(error)).toBe(error);
});

test.each([
  ["22021", true],
  ["23505", true],
  ["42622", false],
  ["24000", false],
  [undefined, false],
])("a statement that fails with %s was refused because of its data: %p", (code, expected) => {
  expect(isRefusal(Object.assign(new pg.DatabaseError("refused", 1, "error"), { code }))).toBe(expected);
  expect(isRefusal(Object.assign(new Error("another"), { code }))).toBe(false);
});

test("a pooler that refuses something else does not refuse settings", () => {
  const refused = { code: "08P01", message: "unsupported startup parameter: options" };
  const isOne = (change: object) =>
    isRefusedStart(Object.assign(new pg.DatabaseError("", 1, "error"), refused, change));
  expect([{}, { code: "42704" }, { message: "invalid message" }].map(isOne)).toEqual([true, false, false]);
  expect(isRefusedStart(Object.assign(new Error(), refused))).toBe(false);
});
