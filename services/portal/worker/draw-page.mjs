// A process that renders the first page of a PDF. It receives the bytes of a PDF and answers with a PNG, or null if that fails. It ends with
// the process that started it.
import { crc32, deflateSync } from "node:zlib";
import { PDFiumLibrary } from "@hyzyla/pdfium";

/** The maximum size in pixels: twice that of a label of 4 by 6 inches at 72 dpi. */
const MAX_WIDTH = 576;
const MAX_HEIGHT = 864;
const MAX_SCALE = 2;

// PDFium leaves out an image for which it gets no memory. That is no picture of the label, so the process ends instead.
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function growOrEnd(pages) {
  try {
    return grow.call(this, pages);
  } catch {
    return process.exit(1);
  }
};

const library = PDFiumLibrary.init();

process.on("message", async (pdf) => {
  process.send(await draw(pdf).catch(() => null));
});

async function draw(pdf) {
  const document = await (await library).loadDocument(pdf);
  try {
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = Math.min(MAX_SCALE, MAX_WIDTH / originalWidth, MAX_HEIGHT / originalHeight);
    const { data } = await page.render({ scale, colorSpace: "Gray", render: async (bitmap) => toPng(bitmap) });
    return data;
  } finally {
    document.destroy();
  }
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** Encodes a grey PNG with 8 bits per pixel (PNG specification, third edition). */
function toPng({ width, height, data }) {
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) rows.set(data.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    SIGNATURE,
    toChunk("IHDR", header),
    toChunk("IDAT", deflateSync(rows)),
    toChunk("IEND", Buffer.alloc(0)),
  ]);
}

function toChunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
