// A process that puts the pages of PDFs into one, in their order. It answers with the PDF, or null if that fails. It ends with the process that
// started it.
import { PDFDocument } from "@cantoo/pdf-lib";

process.on("message", async (pdfs) => {
  process.send(await merge(pdfs).catch(() => null));
});

async function merge(pdfs) {
  const merged = await PDFDocument.create();
  for (const pdf of pdfs) {
    const label = await PDFDocument.load(pdf, { updateMetadata: false });
    for (const page of await merged.copyPages(label, label.getPageIndices())) merged.addPage(page);
  }
  return merged.save();
}
