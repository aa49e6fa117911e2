import { findOther, isOwn, marking, markOf, NotOwnerError, readMark, requireOwn } from "./stream-owner.js";

const owner = { id: "ins_a", tokens: ["third", "second", "first"] };
const server = (version: string) => ({ info: { version } as never });

test.each(["2.10.0", "2.15.2", "3.0.0"])("nats-server %s: the mark is metadata, beside that of others", (version) => {
  const marked = marking(server(version), markOf({ name: "shipping/blue", owner }), {
    metadata: { "_nats.level": "1" },
  });
  expect(marked).toEqual({
    metadata: {
      "_nats.level": "1",
      installation: "shipping/blue",
      installation_id: "ins_a",
      installation_token: "second",
    },
  });
  expect(readMark(marked)).toEqual({ installation: "shipping/blue", id: "ins_a", token: "second" });
});

test("before nats-server 2.10, the mark is the description, which later servers keep", () => {
  const marked = marking(server("2.9.25"), markOf({ name: "blue", owner }));
  expect(Object.keys(marked)).toEqual(["description"]);
  expect(readMark(marked)).toEqual({ installation: "blue", id: "ins_a", token: "second" });
});

test.each([{}, { description: "Events" }, { description: "{}" }, { metadata: { team: "b" } }])(
  "%j has no mark",
  (marked) => expect(readMark(marked)).toBeUndefined(),
);

test("the first token is used at once, later ones with a delay of one turn", () => {
  const tokenOf = (...tokens: string[]) => markOf({ name: "n", owner: { ...owner, tokens } }).token;
  expect([tokenOf("first"), tokenOf("second", "first")]).toEqual(["first", "first"]);
});

describe("a stream", () => {
  const mark = { installation: "blue", id: "ins_a", token: "second" };
  const other = (changed: object, of = owner) => findOther({ ...mark, ...changed }, { name: "blue", owner: of });

  test("belongs to the installation if name, ID and token match", () => {
    expect(other({})).toBeUndefined();
    expect(other({ token: undefined })).toBeUndefined();
    expect(() => requireOwn("Stream EVENTS", mark, { name: "blue", owner })).not.toThrow();
    expect(() => requireOwn("Stream EVENTS", undefined, { name: "blue", owner })).not.toThrow();
  });

  test("still belongs to the installation on a standby that took over without the newest token", () =>
    expect(other({}, { ...owner, tokens: ["second", "first"] })).toBeUndefined());

  test("belongs to another installation if its ID, its name or its token is unknown", () => {
    expect(other({ id: "ins_b" })).toBe('another installation, "blue"');
    expect(other({ installation: "green" })).toBe('"green", of which this database is a copy, or which was renamed');
    expect(other({}, { ...owner, tokens: ["first"] })).toBe(
      "a later state of this database, which was restored or copied",
    );
  });

  test("of another is refused in one line that says what to do, however long the other name is", () => {
    const other = { installation: `a\n${"b".repeat(300)}`, id: "x" };
    const refused = () => requireOwn("Stream EVENTS", other, { name: "c", owner });
    expect(refused).toThrow(NotOwnerError);
    expect(refused).toThrow(
      /^Stream EVENTS on NATS belongs to another installation, "a\\nb{198}"\. .*admin bus claim$/,
    );
  });
});

test("a message belongs to the owner if it has its ID, its previous ID from before a claim, or no ID", () => {
  const claimed = { ...owner, previous: { id: "ins_old", until: 7 } };
  expect([undefined, "", "ins_a"].map((from) => isOwn(claimed, from, 9))).toEqual([true, true, true]);
  expect([6, 7, 8].map((sequence) => isOwn(claimed, "ins_old", sequence))).toEqual([true, true, false]);
  expect(isOwn(owner, "ins_b", 1)).toBe(false);
});
