import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guides } from "@shipping/api/guides";
import { PART_NAMES, PARTS } from "@shipping/proto/parts";
import { copyImageFiles, dependenciesOf, imageFiles } from "./image-files.js";

const root = join(import.meta.dirname, "..");
const images = [...PART_NAMES.map((part) => PARTS[part].folder), "cli"];

/** The images that hold a file. */
const holders = (path: string) =>
  images.filter((workspace) => imageFiles(workspace).some((held) => path === held || path.startsWith(`${held}/`)));

const documents = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(md|json)$/.test(name))
  .map((name) => `docs/${name}`);
const guideFiles = guides.map(({ file }) => file);

test("a change of a guide changes the one image that serves it, and that of the changelog also those with the OpenAPI document", () => {
  const served = documents.filter((path) => !/^docs\/(operations|contributing|decisions)\//.test(path));
  expect(served.length).toBeGreaterThan(20);
  for (const path of served.filter((one) => one !== "docs/changelog.md")) {
    expect([path, holders(path)]).toEqual([path, ["services/portal"]]);
  }
  const withDocument = images.filter((workspace) => dependenciesOf(workspace).includes("api"));
  expect(holders("docs/changelog.md")).toEqual(withDocument);
});

test("a change of a document for operators or contributors changes no image", () => {
  const others = documents.filter((path) => /^docs\/(operations|contributing|decisions)\//.test(path));
  expect(others.length).toBeGreaterThan(30);
  expect(others.filter((path) => holders(path).length > 0)).toEqual([]);
});

test("the image with the documentation holds every guide", () => {
  expect(guideFiles.filter((file) => !holders(file).includes("services/portal"))).toEqual([]);
});

test.each(images)(
  "the image of %s holds its own code and that of the workspaces on which it depends, without sources",
  (workspace) => {
    const { dependencies } = JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
    const names = dependenciesOf(workspace).map(
      (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).name,
    );
    const ours = Object.keys(dependencies).filter((name) => /^@?shipping\b/.test(name));
    expect(names).toEqual(expect.arrayContaining(ours));
    const files = imageFiles(workspace);
    for (const folder of dependenciesOf(workspace)) {
      expect(files).toEqual(expect.arrayContaining([`${folder}/package.json`, `${folder}/dist`]));
    }
    expect(files.filter((path) => /(^|\/)(src|node_modules|tsconfig\.json)(\/|$)/.test(path))).toEqual([]);
  },
);

test("one service's image holds no code of another", () => {
  for (const workspace of images) {
    const others = images.filter((other) => other !== workspace);
    expect(imageFiles(workspace).filter((path) => others.some((other) => path.startsWith(`${other}/`)))).toEqual([]);
  }
});

test("they are copied to the same paths", () => {
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  try {
    copyImageFiles("services/tracking", folder);
    expect(readdirSync(folder).sort()).toEqual(["kit", "proto", "services"]);
    expect(readdirSync(join(folder, "services/tracking")).sort()).toEqual(["dist", "package.json", "prisma"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
