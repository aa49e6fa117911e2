import type { Generator } from "./corridor.js";

const JAVA = { java: 'Run "apt-get install default-jre-headless".' };
const MAVEN = { mvn: 'Run "apt-get install maven".' };
const PYTHON = { python3: 'Run "apt-get install python3-venv".' };
const GO = { go: "Get it from https://go.dev/dl." };

const OPENAPI_GENERATOR = "7.25.0";
/** The name without `-g`. */
export const OPENAPI_GENERATOR_COMMAND = "java -jar openapi-generator-cli.jar generate -i openapi.json -o client -g";

/** A row of openapi-generator, which is downloaded from Maven's repository once for all rows. */
function openApiGenerator(
  language: string,
  options: string,
  needs: Generator["needs"],
  client: Generator["client"],
  get = "",
): Generator {
  const jar = `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`;
  const folder = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/${OPENAPI_GENERATOR}`;
  return {
    name: `openapi-generator ${OPENAPI_GENERATOR}`,
    language,
    document: "openapi.json",
    needs: { ...JAVA, ...needs },
    get: `test -e ../${jar} || curl -sSfo ../${jar} ${folder}/${jar}\nln -s ../${jar} openapi-generator-cli.jar\n${get}`,
    generate: `${OPENAPI_GENERATOR_COMMAND} ${options}`,
    client,
  };
}

const python = openApiGenerator("Python", "python", PYTHON, {
  build: "python3 -m venv venv && venv/bin/pip install -q ./client",
  folder: "openapi-generator-python",
  play: "venv/bin/python corridor.py",
});

const buildJava = {
  build: "mvn -q -f client/pom.xml compile",
  // Java compiles the program itself.
  play: "mvn -q -f client/pom.xml dependency:copy-dependencies >&2 && java -cp 'client/target/classes:client/target/dependency/*' Corridor.java",
};

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ target: "es2022", module: "esnext", moduleResolution: "bundler" },
  },
  include: ["client"],
};

/** Gets packages of npm for a program in the folder. */
function npm(packages: string): string {
  const install = `npm init -y && npm pkg set type=module && npm install --no-audit --no-fund ${packages} typescript@5.9 tsx@4`;
  return `${install} && echo '${JSON.stringify(TSCONFIG)}' > tsconfig.json`;
}

function typeScript(folder: string): Generator["client"] {
  return { build: "npx tsc", folder, shared: "javascript", play: "npx tsx corridor.mjs" };
}

const heyApi: Generator = {
  name: "@hey-api/openapi-ts 0.99.0 with zod",
  language: "TypeScript",
  document: "openapi.json",
  needs: {},
  get: npm("@hey-api/openapi-ts@0.99.0 zod@4"),
  generate: "npx openapi-ts -f ./hey-api.config.mjs",
  client: typeScript("hey-api"),
};

const oapiCodegen: Generator = {
  name: "oapi-codegen 2.8.2",
  language: "Go",
  document: "openapi-3.0.json",
  needs: GO,
  get: "go get -tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2",
  generate:
    "mkdir client && go tool oapi-codegen -generate types,client -package client -o client/client.go openapi-3.0.json",
  client: { build: "go mod tidy && go build -o corridor .", folder: "oapi-codegen", play: "./corridor" },
};

/** Every generator that is tested. */
export const generators: readonly Generator[] = [
  python,
  openApiGenerator("Java (OkHttp, Gson)", "java --library okhttp-gson", MAVEN, { ...buildJava, folder: "java-okhttp" }),
  openApiGenerator("Java (native)", "java --library native", MAVEN, { ...buildJava, folder: "java-native" }),
  openApiGenerator("Kotlin", "kotlin", MAVEN, {
    build: "mvn -q compile",
    folder: "kotlin",
    play: "mvn -q dependency:copy-dependencies >&2 && java -cp 'target/classes:target/dependency/*' CorridorKt",
  }),
  openApiGenerator(
    "PHP",
    "php",
    { php: 'Run "apt-get install php-cli php-curl php-mbstring php-guzzlehttp-guzzle".' },
    { build: "find client/lib -name '*.php' -print0 | xargs -0 -n 1 php -l", folder: "php", play: "php corridor.php" },
  ),
  openApiGenerator(
    "Ruby",
    "ruby",
    { ruby: 'Run "apt-get install ruby ruby-typhoeus".' },
    {
      build: "ruby -Iclient/lib -e 'require \"openapi_client\"'",
      folder: "ruby",
      play: "ruby -Iclient/lib corridor.rb",
    },
  ),
  openApiGenerator("Go", "go --additional-properties=withGoMod=false", GO, {
    build: "go build -o corridor .",
    folder: "go",
    play: "./corridor",
  }),
  openApiGenerator("C#", "csharp", {}, { notPlayed: "the check has no .NET SDK and no NuGet" }),
  openApiGenerator("TypeScript (fetch)", "typescript-fetch", {}, typeScript("typescript-fetch"), npm("")),
  openApiGenerator("TypeScript (axios)", "typescript-axios", {}, typeScript("typescript-axios"), npm("axios@1")),
  oapiCodegen,
  {
    name: "ogen 1.24.0",
    language: "Go",
    document: "openapi-3.0.json",
    needs: GO,
    get: "go get -tool github.com/ogen-go/ogen/cmd/ogen@v1.24.0",
    generate: "go tool ogen --target client --package client openapi-3.0.json",
    client: { build: "go mod tidy && go build -o corridor .", folder: "ogen", play: "./corridor" },
  },
  heyApi,
  {
    name: "openapi-typescript 7.13.0 with openapi-fetch 0.17.0",
    language: "TypeScript",
    document: "openapi.json",
    needs: {},
    get: npm("openapi-typescript@7.13.0 openapi-fetch@0.17.0"),
    generate: "npx openapi-typescript openapi.json -o client/schema.ts",
    client: typeScript("openapi-fetch"),
  },
  {
    name: "orval 8.38.0",
    language: "TypeScript",
    document: "openapi.json",
    needs: {},
    get: npm("orval@8.38.0 @types/node@20"),
    generate: "npx orval --config orval.config.mjs",
    client: typeScript("orval"),
  },
  {
    name: "openapi-python-client 0.29.1",
    language: "Python",
    document: "openapi.json",
    needs: PYTHON,
    get: "python3 -m venv venv && venv/bin/pip install -q openapi-python-client==0.29.1",
    generate:
      "venv/bin/openapi-python-client generate --path openapi.json --config config.yaml --meta none --output-path shipping",
    client: {
      build: "venv/bin/python -m compileall -q shipping",
      folder: "openapi-python-client",
      play: "venv/bin/python corridor.py",
    },
  },
];

/** Generators that need only npm, Python, Java and Go. */
export const short: readonly Generator[] = [python, heyApi, oapiCodegen];
