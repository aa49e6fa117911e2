import { textTable } from "./text-table.js";

test("a table aligns names to the left and figures to the right", () => {
  const text = textTable(
    ["case", "ms"],
    [
      ["get", "0.5"],
      ["shipments", "12.25"],
    ],
  );
  expect(text.split("\n")).toEqual(["case          ms", "─────────  ─────", "get          0.5", "shipments  12.25"]);
});

test("a row that ends early has empty cells, and no line ends in blanks", () => {
  expect(textTable(["a", "b"], [["x"]]).split("\n")).toEqual(["a  b", "─  ─", "x"]);
});
