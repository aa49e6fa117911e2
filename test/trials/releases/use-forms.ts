import { actionOf, fieldsOf, newVisitor, type PageAnswer, secretIn } from "../../developers/visitor.js";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { signIn } from "../kit/sign-in.js";

const NEW_KEY = "/developers/sandbox/keys/new";

/** Members who create and revoke API keys in the developer area: a new one each time, because an account may create ten keys an hour. */
export function useKeyForms(cluster: Pick<ClusterUnderTest, "newCustomer" | "databases">) {
  async function newMember() {
    const { accountId } = await cluster.newCustomer("Forms");
    const email = `${accountId}@example.com`;
    const cookie = await signIn(cluster.databases.portal, { accountId, email, role: "admin" });
    /** Yields the response if it is the expected one. */
    async function submit(from: string, to: string, path: string, expected: number): Promise<PageAnswer | undefined> {
      const visitor = newVisitor(to, accountId);
      forms.sent++;
      try {
        const { html } = await visitor.get(from + path, { cookie });
        const answer = await visitor.post(to + actionOf(html, path), fieldsOf(html), { cookie });
        if (answer.status === expected) return answer;
        throw new Error(`${answer.status} instead of ${expected}: ${answer.html.slice(-300)}`);
      } catch (error) {
        forms.wrong.push(`${path}: ${error}`);
        return undefined;
      }
    }
    return { cookie, submit };
  }

  async function createAndRevoke(from: string, to: string): Promise<void> {
    const { cookie, submit } = await newMember();
    const created = await submit(from, to, NEW_KEY, 201);
    if (!created) return;
    const key = secretIn(created.html) ?? "";
    const list = await newVisitor(to).get("/developers/sandbox/keys", { cookie });
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
