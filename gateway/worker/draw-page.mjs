// A thread that draws the first page of PDFs. It is sent the bytes of a PDF and answers with those of a PNG, or null if it cannot draw it.
import { parentPort } from "node:worker_threads";
import { crc32, deflateSync } from "node:zlib";
import { PDFiumLibrary } from "@hyzyla/pdfium";

/** Points of the picture, at most, in width and height: twice those of a label of 4 by 6 inches. */
const MAX_WIDTH = 576;
const MAX_HEIGHT = 864;
const MAX_SCALE = 2;

const library = PDFiumLibrary.init();

parentPort.on("message", async (pdf) => {
  parentPort.postMessage(await draw(pdf).catch(() => null));
});

async function draw(pdf) {
  const document = await (await library).loadDocument(pdf);
  try {
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = Math.min(MAX_SCALE, MAX_WIDTH / originalWidth, MAX_HEIGHT / originalHeight);
    const { data } = await page.render({ scale, colorSpace: "Gray", render: async (bitmap) => pngOf(bitmap) });
    return data;
  } finally {
    document.destroy();
  }
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

/** A PNG of eight bits of grey a point (PNG specification, third edition). */
function pngOf({ width, height, data }) {
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++) rows.set(data.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
