import { newPage, write } from "./page.js";
import { plainPdf } from "./testing/plain-pdf.js";

test.each(["Helvetica", "Letters"] as const)("the table of objects leads to each of them, with %s", (face) => {
  const page = newPage();
  write(page, "a (b) \\", { x: 9, baseline: 20, face, size: 8 });
  const file = Buffer.from(plainPdf(page)).toString("latin1");
  const start = Number(/\nstartxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const [, size, table] = /^xref\n0 (\d+)\n0{10} 65535 f \n((?:\d{10} 00000 n \n)+)trailer\n/.exec(file.slice(start))!;
  const offsets = table!.match(/^\d+/gm)!.map(Number);
  expect(offsets).toHaveLength(Number(size) - 1);
  for (const [index, at] of offsets.entries()) expect(file.slice(at)).toMatch(new RegExp(`^${index + 1} 0 obj\n<<`));
});
