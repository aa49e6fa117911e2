import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const NEXT_VERSION = "16.4.6";
const NEST_VERSION = "12.5.1";
const DJANGO = "5.2.19";
const FASTAPI = "0.165.0";
const FLASK = "3.1.3";
const UVICORN = "0.54.0";

/** The packages of npm that the checks of Next.js and NestJS install. */
export const NEXT = [`next@${NEXT_VERSION}`, "react@19.3.1", "react-dom@19.3.1", "@types/react@19"];
export const NEST = [
  ...["core", "common", "platform-express"].map((name) => `@nestjs/${name}@${NEST_VERSION}`),
  ...["reflect-metadata@0.2", "rxjs@7"],
];

/** The packages of PyPI that the check of the Python frameworks installs. */
export const PYPI = [`Django==${DJANGO}`, `fastapi==${FASTAPI}`, `Flask==${FLASK}`, `uvicorn==${UVICORN}`];

/** The versions that each example of the guide is tried with, as `docs/other-languages.md` says: in the order of the guide, by its heading. */
export const triedWith: Readonly<Record<string, string>> = {
  Express: `Express ${installed("express")}`,
  Fastify: `Fastify ${installed("fastify")}`,
  Koa: `Koa ${installed("koa")}`,
  NestJS: `NestJS ${NEST_VERSION} with Express`,
  "Next.js, app router": `Next.js ${NEXT_VERSION}`,
  "Next.js, pages router": `Next.js ${NEXT_VERSION}`,
  "AWS Lambda": "the handlers, with the two forms of a request; not in AWS",
  Django: `Django ${DJANGO}`,
  FastAPI: `FastAPI ${FASTAPI} with uvicorn ${UVICORN}`,
  Flask: `Flask ${FLASK}`,
  "Ruby on Rails": "Rails 6.1.7 of Debian 12",
  Laravel: "Laravel 8.83 of Debian 12: routing, request and response",
  Spring: `Spring Boot ${springBoot()} with Tomcat 11.0.22`,
};

function installed(name: string): string {
  const root = join(import.meta.dirname, "../../node_modules", name, "package.json");
  return createRequire(import.meta.url)(root).version;
}

function springBoot(): string {
  const pom = readFileSync(join(import.meta.dirname, "programs/pom.xml"), "utf8");
  return /<version>([\d.]+)<\/version>\s*<\/parent>/.exec(pom)?.[1] ?? "";
}
