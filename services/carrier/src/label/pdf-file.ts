import { deflateSync } from "node:zlib";
import { addFonts, type Page } from "./letters/carry-font.js";
import { BOLD, literal, REGULAR } from "./page.js";

/** The metadata of a file; `id` differs from file to file. */
export interface PdfInfo {
  title: string;
  id: string;
  createdAt: Date;
}

/**
 * Prepares PDFs of one page (PDF 1.7, 7.5) that all begin with the same picture. The function that it returns adds the drawing of a page.
 * The bytes of a file do not depend on the clock.
 */
export function preparePdf(size: readonly [width: number, height: number], picture: string) {
  const shared = newObjects();
  const pictureStream = shared.addStream(Buffer.from(picture, "latin1"));
  const standardFonts = [REGULAR, BOLD].map(
    (face) => `/${face} ${shared.add(`/Type /Font /Subtype /Type1 /BaseFont /${face} /Encoding /WinAnsiEncoding`)}`,
  );
  const pageNumber = shared.reserve();
  const pages = shared.add(`/Type /Pages /Count 1 /Kids [${pageNumber} 0 R]`);
  // A label that a viewer fits to the page has bars that scanners may not read (PDF 1.6, 8.1).
  const catalog = shared.add(`/Type /Catalog /Pages ${pages} /ViewerPreferences << /PrintScaling /None >>`);

  return (page: Page, { title, id, createdAt }: PdfInfo): Uint8Array => {
    const objects = newObjects(shared);
    const content = objects.addStream(Buffer.from(page.content, "latin1"));
    const fonts = [...standardFonts, ...addFonts(page, objects)].join(" ");
    const contents = `/Contents [${pictureStream} ${content}] /Resources << /Font << ${fonts} >> >>`;
    objects.put(pageNumber, `/Type /Page /Parent ${pages} /MediaBox [0 0 ${size.join(" ")}] ${contents}`);
    const date = createdAt.toISOString().slice(0, 19).replace(/\D/g, "");
    const info = objects.add(`/Title ${literal(title)} /CreationDate (D:${date}Z)`);
    return objects.end(`/Root ${catalog} /Info ${info} /ID [${literal(id)} ${literal(id)}]`);
  };
}

// The default of 6 makes a label as small, and takes a third longer.
const LEVEL = 5;

// The second line tells programs that transfer files that this one is not text.
const HEADER = Buffer.from("%PDF-1.3\n%\xff\xff\xff\xff\n", "latin1");

/** The objects of a PDF, after those of `shared`. A returned string is the reference by which other objects name the new one. */
function newObjects(shared: { parts: Buffer[]; offsets: number[] } = { parts: [HEADER], offsets: [] }) {
  const parts = [...shared.parts];
  const offsets = [...shared.offsets];
  let length = parts.reduce((sum, part) => sum + part.length, 0);

  function write(part: Buffer): void {
    parts.push(part);
    length += part.length;
  }
  const objects = {
    parts,
    offsets,
    /** Reserves a number for an object that is put later. */
    reserve: () => offsets.push(0),
    put(number: number, dictionary: string): void {
      offsets[number - 1] = length;
      write(Buffer.from(`${number} 0 obj\n<< ${dictionary} >>\nendobj\n`, "latin1"));
    },
    add(dictionary: string): string {
      const number = objects.reserve();
      objects.put(number, dictionary);
      return `${number} 0 R`;
    },
    addStream(bytes: Uint8Array): string {
      const compressed = deflateSync(bytes, { level: LEVEL });
      const number = offsets.push(length);
      write(
        Buffer.from(`${number} 0 obj\n<< /Length ${compressed.length} /Filter /FlateDecode >>\nstream\n`, "latin1"),
      );
      write(compressed);
      write(Buffer.from("\nendstream\nendobj\n", "latin1"));
      return `${number} 0 R`;
    },
    end(trailer: string): Uint8Array {
      const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
      const size = offsets.length + 1;
      const last = `trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${length}\n%%EOF\n`;
      return Buffer.concat([...parts, Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}${last}`, "latin1")]);
    },
  };
  return objects;
}
