import { readdirSync, readFileSync } from "node:fs";
import { type Asset, loadAsset } from "@shipping/kit/http/send-document";

const FOLDER = new URL("../../../docs/figures/", import.meta.url);

interface Figure extends Asset {
  width: number;
  height: number;
}

const figures = new Map<string, Figure>();
for (const name of readdirSync(FOLDER)) {
  const file = new URL(name, FOLDER);
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(readFileSync(file, "utf8")) ?? [];
  figures.set(`figures/${name}`, {
    ...loadAsset(`/docs/figures/${name}`, file),
    ...{ width: Number(width), height: Number(height) },
  });
}

/** The pictures of the guides, which follow the colour scheme of the reader's system. */
export const figureAssets: readonly Asset[] = [...figures.values()];

/** The picture that a guide's Markdown names, such as `figures/retries.svg`. */
export function findFigure(source: string): Figure | undefined {
  return figures.get(source.replace(/^(\.\.\/)+/, ""));
}
