import type { Page } from "../letters/carry-font.js";
import { preparePdf } from "../pdf-file.js";

const prepared = preparePdf([288, 432], "1 0 0 -1 0 432 cm\n");

/** Draws a page of the size of a label, without its form. */
export function plainPdf(page: Page): Uint8Array {
  return prepared(page, { title: "plain", id: "plain", createdAt: new Date(0) });
}
