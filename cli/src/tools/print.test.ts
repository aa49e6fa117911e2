import { toFacts, toTable } from "./print.js";

describe("a table", () => {
  test("has columns as wide as they need to be, and no spaces at the end of a line", () => {
    expect(
      toTable(
        ["ID", "NAME"],
        [
          ["acc_1", "Acme"],
          ["acc_22", ""],
        ],
      ),
    ).toBe("ID      NAME\nacc_1   Acme\nacc_22");
  });

  test("has one line for each row, whatever a customer wrote into it", () => {
    const rows = [
      ["acc_1", "Acme\nacc_2  Forged"],
      ["\u001b[8m", "Other"],
    ];
    expect(toTable(["ID", "NAME"], rows)).toBe(
      "ID         NAME\nacc_1      Acme\\u000aacc_2  Forged\n\\u001b[8m  Other",
    );
    expect(toFacts({ url: "https://a.example/\u202e\r" })).toBe("FACT  VALUE\nurl   https://a.example/\\u202e\\u000d");
  });
});
