// `npm run generate`: TypeScript from the protos, the gateway's Prisma client, and the types of the clients and
// the collection for Postman from the OpenAPI document. The results are committed.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  // `prisma generate` (7.10) downloads a schema engine that it then does not use, unless an executable is named: any will do.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_HIDE_UPDATE_MESSAGE: "true",
  CHECKPOINT_DISABLE: "1",
};

run("buf", ["generate"], join(root, "proto"));
// Nothing else removes the file of a model that is no more.
rmSync(join(root, "gateway", "src", "gen", "prisma"), { recursive: true, force: true });
run("prisma", ["generate", "--no-hints"], join(root, "gateway"));
run("tsx", ["--conditions=source", "src/client/generate-client.ts"], join(root, "deploy", "local"));
run("tsx", ["--conditions=source", "src/collection/generate-collection.ts"], join(root, "deploy", "local"));

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
