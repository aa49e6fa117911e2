import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync, inflateSync } from "node:zlib";
import { PDFDocument } from "@cantoo/pdf-lib";
import { eventually } from "@shipping/kit/testing/eventually";
import { createDrawing, merging } from "./draw-page.js";

/** A PDF of one page, with a black square in its lower left corner. */
function pdfOf({ width = 288, height = 432 } = {}): Buffer {
  return withObjects("0 0 100 100 re f", `/MediaBox[0 0 ${width} ${height}]`);
}

/** A PDF of a few KB whose image has this many pixels in each direction. */
function pdfWithImage(side: number): Buffer {
  // Run-length encoding stores 128 black pixels in two bytes. Its output is compressed once more.
  const data = deflateSync(Buffer.alloc((side * side) / 64, Buffer.of(0x81, 0)));
  const filters = "/Filter[/FlateDecode/RunLengthDecode]/ColorSpace/DeviceGray/BitsPerComponent 8";
  const image = `<</Type/XObject/Subtype/Image/Width ${side}/Height ${side}${filters}/Length ${data.length}>>`;
  const resources = "/MediaBox[0 0 288 432]/Resources<</XObject<</Image 5 0 R>>>>";
  return withObjects(
    "288 0 0 432 0 0 cm /Image Do",
    resources,
    `${image}stream\n${data.toString("latin1")}\nendstream`,
  );
}

function withObjects(content: string, page: string, ...others: string[]): Buffer {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/Contents 4 0 R${page}>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    ...others,
  ];
  let text = "%PDF-1.4\n";
  const places = objects.map((object, nth) => {
    const place = text.length;
    text += `${nth + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}trailer\n<</Size ${size}/Root 1 0 R>>\n`;
  return Buffer.from(`${text}${table}startxref\n${text.length}\n%%EOF\n`, "latin1");
}

/** Width, height and rows of grey pixels of a PNG. */
function pointsOf(png: Uint8Array) {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data = bytes.subarray(bytes.indexOf("IDAT") + 4, bytes.indexOf("IEND") - 8);
  const rows = inflateSync(data);
  expect(rows).toHaveLength((width + 1) * height);
  return { width, height, at: (x: number, y: number) => rows[y * (width + 1) + 1 + x] };
}

const limits = { most: 4, timeoutMs: 20_000, idleMs: 1_000 };

describe("drawing", () => {
  test("yields the page as a PNG of twice its size, black where it is black", async () => {
    const png = await createDrawing(limits).draw(pdfOf());
    const { width, height, at } = pointsOf(png!);
    expect([width, height]).toEqual([576, 864]);
    expect([at(10, 850), at(300, 850), at(10, 10)]).toEqual([0, 255, 255]);
  });

  test("never a larger one, whatever size the page says that it has", async () => {
    const { width, height } = pointsOf((await createDrawing(limits).draw(pdfOf({ width: 14_000, height: 14_000 })))!);
    expect([width, height]).toEqual([576, 576]);
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["no PDF", Buffer.from("hello")],
    ["a PDF that ends early", pdfOf().subarray(0, 40)],
  ])("of %s there is none, and the next one is drawn", async (_what, pdf) => {
    const { draw } = createDrawing(limits);
    expect(await draw(pdf)).toBeNull();
    expect(await draw(pdfOf())).toBeInstanceOf(Uint8Array);
  });

  test("an image that needs more memory than a label is not drawn, and does not take memory of the gateway", async () => {
    const { draw } = createDrawing(limits);
    const { at } = pointsOf((await draw(pdfWithImage(2_048)))!);
    expect(at(300, 400)).toBe(0);
    const pdf = pdfWithImage(20_480);
    expect(pdf.length).toBeLessThan(64_000);
    const before = process.resourceUsage().maxRSS;
    expect(await draw(pdf)).toBeUndefined();
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(200 * 1024);
    expect(await draw(pdfOf())).toBeDefined();
  });

  test("more than may wait are refused at once, the others are drawn one after another", async () => {
    const { draw } = createDrawing(limits);
    const drawn = await Promise.all(Array.from({ length: 7 }, () => draw(pdfOf())));
    expect(drawn.map((png) => png !== undefined)).toEqual([true, true, true, true, false, false, false]);
    expect(await draw(pdfOf())).toBeDefined();
  });

  test.each([
    ["hangs", "process.on('message', () => { for (;;); });"],
    ["throws", "process.on('message', () => { throw new Error('broken'); });"],
    ["ends", "process.on('message', () => process.exit(1));"],
    ["cannot even start", "throw new Error('broken');"],
  ])("a process that %s costs its own drawing, and no other waits for it", async (fate, code) => {
    const script = join(tmpdir(), `draw-${process.pid}-${fate.replaceAll(" ", "-")}.mjs`);
    await writeFile(script, code);
    const { draw } = createDrawing({ ...limits, timeoutMs: 500 }, pathToFileURL(script));
    expect(await Promise.all([draw(pdfOf()), draw(pdfOf())])).toEqual([undefined, undefined]);
  });
});

test.each<[string, string, boolean]>([
  ["ends while it works", "process.on('message', () => process.exit(1));", false],
  ["ended before it was asked", "process.exit(1);", true],
])("a process that %s is replaced, once", async (fate, code, isPrepared) => {
  const [script, mark] = ["mjs", "mark"].map((end) => join(tmpdir(), `retry-${process.pid}-${fate.length}.${end}`));
  const begin = `import { existsSync, writeFileSync } from "node:fs";
    if (existsSync(${JSON.stringify(mark)})) process.on("message", () => process.send(Buffer.from("drawn")));
    else { writeFileSync(${JSON.stringify(mark)}, ""); ${code} }`;
  await writeFile(script!, begin);
  await rm(mark!, { force: true });
  const drawing = createDrawing({ ...limits, retries: true }, pathToFileURL(script!));
  if (isPrepared) {
    drawing.prepare();
    await eventually(() => expect(existsSync(mark!)).toBe(true));
  }
  expect(await drawing.draw(pdfOf())).toEqual(new Uint8Array(Buffer.from("drawn")));
});

test("merged PDFs are of the newest version among them, with a table of objects as text", async () => {
  const newer = await PDFDocument.create();
  newer.addPage();
  for (const [others, version] of [
    [[], "1.4"],
    [[await newer.save()], "1.7"],
  ] as const) {
    const merged = Buffer.from((await merging.draw([...others, pdfOf()])) ?? []).toString("latin1");
    expect(merged.slice(0, 9)).toBe(`%PDF-${version}\n`);
    expect([merged.includes("\nxref\n"), merged.includes("/ObjStm")]).toEqual([true, false]);
  }
});
