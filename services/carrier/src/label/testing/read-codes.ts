import { readFileSync } from "node:fs";
import { PDFiumLibrary } from "@hyzyla/pdfium";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

/** A code that was read from a printed label, and its position, in points from the page's top left. */
export interface Code {
  format: string;
  text: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const wasmBinary = readFileSync(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } });
const pdfium = PDFiumLibrary.init();

/** Prints the first page of a PDF in black and white, as a 203 dpi label printer does. */
export async function printPdf(
  pdf: Uint8Array,
  dpi = 203,
): Promise<{ width: number; height: number; data: Uint8Array }> {
  const document = await (await pdfium).loadDocument(pdf);
  try {
    const render = async ({ data }: { data: Uint8Array }) => data;
    const { width, height, data } = await document.getPage(0).render({ scale: dpi / 72, colorSpace: "Gray", render });
    return { width, height, data: data.map((grey) => (grey < 128 ? 0 : 255)) };
  } finally {
    document.destroy();
  }
}

/** Reads every code on a label back from its print. */
export async function readCodes(pdf: Uint8Array, dpi = 203): Promise<Code[]> {
  const { width, height, data } = await printPdf(pdf, dpi);
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (const [index, grey] of data.entries()) rgba.fill(grey, index * 4, index * 4 + 3);
  const image = { width, height, data: rgba, colorSpace: "srgb" as const };
  const found = await readBarcodes(image, { formats: ["Code128", "DataMatrix"] });
  return found.map(({ format, text, position: { topLeft, bottomRight } }) => ({
    format,
    text,
    left: (topLeft.x * 72) / dpi,
    top: (topLeft.y * 72) / dpi,
    right: (bottomRight.x * 72) / dpi,
    bottom: (bottomRight.y * 72) / dpi,
  }));
}
