import type { Generator } from "./corridor.js";

const OPENAPI_GENERATOR = "7.25.0";
const JAVA = { java: 'Run "apt-get install default-jre-headless".' };
const PYTHON = { python3: 'Run "apt-get install python3-venv".' };

/** Gets openapi-generator from Maven's repository, checks it, and runs it. */
function openApiGenerator(options: string): string {
  const file = `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;
  const folder = "https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli";
  return [
    `curl -sSfo ${file} ${folder}/${OPENAPI_GENERATOR}/${file}`,
    `java -jar ${file} generate -i openapi.json -o client ${options} > generated.txt`,
  ].join("\n");
}

/** Installs packages of npm in the folder, then runs a command of theirs. */
function npm(packages: string, command: string): string {
  return `npm init -y > installed.txt\nnpm pkg set type=module\nnpm install --no-audit --no-fund ${packages} > installed.txt\n${command}`;
}

const TSC =
  "npx tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --allowImportingTsExtensions";

export const python: Generator = {
  name: `openapi-generator ${OPENAPI_GENERATOR}`,
  language: "Python",
  document: "openapi.json",
  needs: { ...JAVA, ...PYTHON },
  generate: openApiGenerator("-g python"),
  build: "python3 -m venv venv\nvenv/bin/pip install -q ./client",
  folder: "openapi-generator-python",
  play: "venv/bin/python corridor.py",
};

export const heyApi: Generator = {
  name: "@hey-api/openapi-ts 0.99.0 with zod",
  language: "TypeScript",
  document: "openapi.json",
  needs: {},
  generate: npm(
    "@hey-api/openapi-ts@0.99.0 typescript@5.9 tsx@4 zod@4",
    "npx openapi-ts -f ./hey-api.config.mjs > generated.txt",
  ),
  build: `${TSC} client/*.ts`,
  folder: "hey-api",
  play: "npx tsx corridor.mjs",
};
