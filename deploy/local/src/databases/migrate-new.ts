import "@shipping/kit/process/require-node";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { migrationsOf, type Part, parts } from "../parts.js";
import { writeMigration } from "./write-migration.js";

// npm run migrate:new -- records add-thing
const [part, name] = process.argv.slice(2);
if (!isPart(part) || !name || !/^[a-z][a-z0-9-]*$/.test(name)) {
  console.error(`Usage: npm run migrate:new -- ${parts.join("|")} name-of-the-change`);
  process.exit(2);
}
const file = await write(part, name);
console.log(
  file ? `Wrote ${relative("", file)}.` : `The migrations of ${part} make all that its schema.prisma describes.`,
);

async function write(part: Part, name: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "migrate-new-"));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  try {
    return await writeMigration({
      directory: migrationsOf[part],
      name,
      url: postgres.url("postgres"),
      now: new Date(),
    });
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

function isPart(word: string | undefined): word is Part {
  return parts.some((part) => part === word);
}
