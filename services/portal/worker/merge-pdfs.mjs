// A process that puts the pages of PDFs into one, in their order. It answers with the PDF, or null if that fails. It ends with the process that
// started it.

// The library's modules in one file: 200 files take half a second of CPU to load, and this one a tenth.
const { PDFDocument } = await import(new URL("../dist/pdf-lib.esm.min.js", import.meta.resolve("@cantoo/pdf-lib")));

process.on("message", async (pdfs) => {
  process.send(await merge(pdfs).catch(() => null));
});

async function merge(pdfs) {
  const merged = await PDFDocument.create();
  const headers = [];
  for (const pdf of pdfs) {
    const label = await PDFDocument.load(pdf, { updateMetadata: false });
    headers.push(label.context.header);
    for (const page of await merged.copyPages(label, label.getPageIndices())) merged.addPage(page);
  }
  // The merged file is read by every program that reads the labels: many cannot read object streams, and expect of a version what it brought.
  merged.context.header = headers.sort((a, b) => String(a).localeCompare(String(b))).at(-1);
  return merged.save({ useObjectStreams: false });
}
