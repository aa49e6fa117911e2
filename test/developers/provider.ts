import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Area } from "./area.js";
import { newVisitor, type PageAnswer, type Visitor } from "./visitor.js";

/** The path at which a sign-in through the provider begins, and the one for a repeated sign-in that leads to the page for live keys. */
export const LEAVE = "/developers/sign-in/provider";
export const AGAIN = `${LEAVE}?return_to=${encodeURIComponent("/developers/live/keys/new")}`;

/** The area's settings for a provider. */
export interface KnownProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A person with their browser, which keeps one jar for the area and one for the provider. */
export interface Person {
  here: Visitor;
  there: Visitor;
  email: string;
}

/** A real OpenID provider on loopback while the tests of this file run. Its issuer is known once it has started. */
export function useProvider(): KnownProvider {
  const provider = { issuer: "", clientId: "developer-area", clientSecret: "a-secret-of-the-developer-area" };
  let server: ChildProcess;
  beforeAll(async () => {
    server = spawn(process.execPath, [join(import.meta.dirname, "openid-provider.mjs")], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    [provider.issuer] = (await once(createInterface(server.stdout!), "line")) as [string];
  });
  afterAll(async () => {
    const ended = once(server, "exit");
    server.stdin?.end();
    await ended;
  });
  return provider;
}

let people = 0;
/** An unused email address. */
export const newEmail = (host = "example.com") => `person-${people++}@${host}`;

/** The steps of a sign-in between an area and its provider. */
export function journeysOf(area: Area, provider: KnownProvider) {
  /** A member whom the provider knows. */
  async function newMember(options: { email?: string } = {}): Promise<Person & { accountId: string }> {
    const { accountId, email } = await area.newLink({ email: options.email ?? newEmail() });
    return { accountId, ...newPerson(email) };
  }

  /** A person whom the provider knows, whether or not they are a member here. */
  function newPerson(email = newEmail()): Person {
    return { email, here: area.visitor(), there: newVisitor(provider.issuer) };
  }

  /** The path at the provider to which the area redirects the browser. */
  async function beginSignIn(here: Visitor, path = LEAVE): Promise<string> {
    const { status, location } = await here.get(path);
    expect(status).toBe(303);
    return location ?? "";
  }

  /** Follows the provider's pages, signing in there if required, until it redirects the browser back. Yields the callback's path and query. */
  async function through(there: Visitor, from: string, login: string): Promise<string> {
    let url = from;
    for (let step = 0; step < 8; step++) {
      const answer = await there.get(url);
      if (answer.status === 200) {
        const prompt = /name="prompt" value="(\w+)"/.exec(answer.html)?.[1];
        const fields = { prompt, login, password: "any" };
        url = (await there.post(new URL(url, provider.issuer).pathname, fields)).location ?? "";
      } else url = answer.location ?? "";
      if (url.startsWith(`${area.origin()}/`)) return url.slice(area.origin().length);
    }
    throw new Error(`The provider does not come back: ${url}`);
  }

  async function signIn({ here, there, email }: Person, path = LEAVE): Promise<PageAnswer> {
    return here.get(await through(there, await beginSignIn(here, path), email));
  }

  return { newMember, newPerson, beginSignIn, through, signIn };
}
