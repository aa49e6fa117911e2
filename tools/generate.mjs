// `npm run generate`: TypeScript from the protos, the Prisma clients of the parts that have one, and, from the OpenAPI document, the types of both clients and
// the Postman collection, then the packages of both clients. Skips steps whose inputs have not changed. Git ignores the results.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const env = {
  ...process.env,
  PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  // `prisma generate` (7.10) downloads a schema engine that it then does not use, unless this names an executable, whichever it is.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  PRISMA_HIDE_UPDATE_MESSAGE: "true",
  CHECKPOINT_DISABLE: "1",
};

// Each step writes the hash of its inputs into its first output. package-lock.json has the versions of the generators.
await Promise.all([
  step({
    inputs: ["proto/shipping", "proto/grpc", "proto/buf.yaml", "proto/buf.gen.yaml"],
    outputs: ["proto/gen"],
    command: ["buf", "generate"],
    cwd: "proto",
  }),
  ...["gateway", ...readdirSync(join(root, "services")).map((name) => `services/${name}`)]
    .filter(hasPrismaClient)
    .map((part) =>
      step({
        inputs: [`${part}/prisma/schema.prisma`],
        outputs: [`${part}/src/gen/prisma`],
        command: ["prisma", "generate", "--no-hints"],
        cwd: part,
      }),
    ),
]);
await step({
  inputs: ["proto/errors.ts", "proto/shipping", "kit/src", "api/src", "tools", "client/package.json"],
  outputs: ["client/src/gen", "client-python/src/shipping_client/gen", "api/assets/gen/postman.json"],
  command: ["tsx", "--conditions=source", "tools/generate-from-openapi.ts"],
  cwd: ".",
});
await step({
  inputs: [
    "tools/pack-clients.mjs",
    "tsconfig.base.json",
    "client",
    "client/src/gen",
    "client-python/pyproject.toml",
    "client-python/README.md",
    "client-python/src",
    "client-python/src/shipping_client/gen",
  ],
  outputs: ["site/assets/gen/clients"],
  command: ["node", "tools/pack-clients.mjs"],
  cwd: ".",
});

/** Whether a part reads its database through a client that Prisma generates. Others only use its migrations. */
function hasPrismaClient(part) {
  const schema = join(root, part, "prisma/schema.prisma");
  return existsSync(schema) && /^generator client /m.test(readFileSync(schema, "utf8"));
}

async function step({ inputs, outputs, command: [program, ...args], cwd }) {
  const stamp = join(root, outputs[0], ".inputs");
  const hash = hashOf(["package-lock.json", "tools/generate.mjs", ...inputs]);
  const isCurrent = outputs.every((path) => existsSync(join(root, path)));
  if (isCurrent && existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  // Otherwise the files of removed models and messages would stay.
  for (const path of outputs) rmSync(join(root, path), { recursive: true, force: true });
  await run(program, args, join(root, cwd));
  writeFileSync(stamp, hash);
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesBelow))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex");
}

function filesBelow(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => !/^(gen|dist|node_modules|__pycache__|\.inputs)$|\.test\.ts$/.test(name))
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}

/** Runs a generator. Prints its output only if it fails. */
function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    child.once("error", reject);
    child.once("close", (status) => {
      if (status === 0) return resolve();
      process.stderr.write(output);
      process.exit(status ?? 1);
    });
  });
}
