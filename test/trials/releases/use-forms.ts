import { actionOf, fieldsOf, newVisitor, type PageAnswer, pathIn, secretIn } from "../../developers/visitor.js";

const NEW_KEY = "/developers/sandbox/keys/new";

/** A member who creates and revokes API keys in the developer area. A session may send a hundred forms in ten minutes; each use is four. */
export async function openKeyForms(signInLink: string) {
  const visitor = newVisitor(signInLink);
  const { status } = await visitor.submit(pathIn(signInLink));
  if (status !== 303) throw new Error(`The sign-in link answers ${status} instead of 303.`);

  /** Yields the response if it is the expected one. */
  async function submit(from: string, to: string, path: string, expected: number): Promise<PageAnswer | undefined> {
    forms.sent++;
    try {
      const { html } = await visitor.get(from + path);
      const answer = await visitor.post(to + actionOf(html, path), fieldsOf(html));
      if (answer.status === expected) return answer;
      throw new Error(`${answer.status} instead of ${expected}: ${answer.html.slice(-300)}`);
    } catch (error) {
      forms.wrong.push(`${path}: ${error}`);
      return undefined;
    }
  }

  async function createAndRevoke(from: string, to: string): Promise<void> {
    const created = await submit(from, to, NEW_KEY, 201);
    if (!created) return;
    const key = secretIn(created.html) ?? "";
    const list = await visitor.get(`${to}/developers/sandbox/keys`);
    const row = list.html.split("<tr").find((html) => html.includes(`…${key.slice(-4)}`));
    const [, revoke = ""] = /href="([^"]+\/revoke)"/.exec(row ?? "") ?? [];
    await submit(to, from, revoke, 303);
  }

  const forms = {
    sent: 0,
    /** The forms with an unexpected response, as sentences. */
    wrong: [] as string[],
    /**
     * Loads each form from one portal and sends it to another, as behind a load balancer: from the first to the second, and the other way round. A
     * single portal gets both.
     */
    async use(portals: readonly string[]): Promise<void> {
      const [one = "", other = one] = portals;
      await createAndRevoke(one, other);
      await createAndRevoke(other, one);
    },
  };
  return forms;
}
