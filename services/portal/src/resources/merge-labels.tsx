import { fail, failureIn } from "@shipping/kit/errors";
import { logExport } from "../audit/audit.js";
import {
  AREA_PATH,
  type HtmlPage,
  htmlPage,
  type PageAnswer,
  type PageDeps,
  type PageRequest,
  toCaller,
} from "../page/page.js";
import { Notice } from "../page/text.js";
import { readLabelFile, requireId } from "../read/read-resources.js";
import { merging } from "./draw-page.js";

const MAX_LABELS = 100;
/** Maximum size of all files together. Our own labels have 3 to 6 KB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Files that are read at once. The carrier service reads calls of one moment with one statement. */
const AT_ONCE = 20;

/** `GET …/labels/merged?label=…&label=…`: one PDF with the pages of these labels, in this order. */
export async function downloadLabels(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const ids = [...new Set(request.query.getAll("label"))];
  if (ids.length === 0) return { ...refusal(request, "Select the labels that the PDF should contain."), status: 200 };
  if (ids.length > MAX_LABELS) return refusal(request, `A PDF has up to ${MAX_LABELS} labels. Select fewer.`);
  for (const id of ids) requireId("lbl", id);
  merging.prepare();
  const pdfs: Uint8Array[] = [];
  let bytes = 0;
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    for (const [nth, pdf] of (await Promise.all(some.map((id) => readFile(deps, request, id)))).entries()) {
      if (!pdf) return refusal(request, `The label ${some[nth]} is voided, so it has no file. Select others.`);
      bytes += pdf.length;
      pdfs.push(pdf);
    }
    if (bytes > MAX_BYTES)
      return refusal(request, "The files of these labels are too large for one PDF. Select fewer.");
  }
  const body = await merging.draw(pdfs);
  if (body === null) return refusal(request, "One of these labels cannot be read. Download them one by one.");
  if (!body)
    return {
      ...refusal(request, "These labels could not be put into one PDF just now. Try again in a few seconds."),
      status: 503,
    };
  const number = ids.length === 1 ? "1 label" : `${ids.length} labels`;
  await logExport(deps, {
    ...toCaller(request),
    actor: request.actor,
    what: `${number} as one PDF: ${ids.join(", ")}`,
  });
  return { content: async () => ({ type: "application/pdf", name: `labels-${pdfs.length}.pdf`, body }) };
}

/** Undefined if the label is voided. */
async function readFile(deps: PageDeps, request: PageRequest, id: string): Promise<Uint8Array | undefined> {
  try {
    return await readLabelFile(deps, request, id);
  } catch (error) {
    const code = failureIn(error)?.code;
    if (code === "label_voided") return undefined;
    throw code === "not_found" ? fail("not_found") : error;
  }
}

function refusal({ environment }: PageRequest, words: string): HtmlPage {
  const page = htmlPage(
    "Labels",
    <>
      <h1>The PDF could not be created</h1>
      <Notice kind="danger">{words}</Notice>
      <p>
        <a href={`${AREA_PATH}/${environment}/labels`}>Labels</a>
      </p>
    </>,
  );
  return { ...page, status: 422 };
}
