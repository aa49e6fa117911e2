import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { type Asset, loadAsset } from "@shipping/kit/http/send-document";

// Made by `npm run generate`. The relative path is the same from `src` and from `dist`.
const FOLDER = new URL("../../assets/gen/clients/", import.meta.url);

interface ClientPackage {
  file: string;
  asset: Asset;
}

/** The packages of the TypeScript and the Python client, of one version each. */
export function clientPackages(): ClientPackage[] {
  const files = readdirSync(FOLDER)
    .filter((name) => /\.(tgz|whl)$/.test(name))
    .sort();
  return files.map((file) => ({ file, asset: loadAsset(`/docs/clients/${file}`, new URL(file, FOLDER)) }));
}

/** Markdown: the URL of each package, which changes with its bytes, its size and its hashes. */
export function packageReference(): string {
  const parts = clientPackages().map(({ file, asset }) => {
    const bytes = readFileSync(new URL(file, FOLDER));
    const digest = (hash: string, encoding: "hex" | "base64") => createHash(hash).update(bytes).digest(encoding);
    const hashes = `sha256 ${digest("sha256", "hex")}\nsha512-${digest("sha512", "base64")}`;
    return `[${file}](${asset.href}), ${bytes.length.toLocaleString("en")} bytes:\n\n\`\`\`text\n${hashes}\n\`\`\`\n`;
  });
  return parts.join("\n");
}
