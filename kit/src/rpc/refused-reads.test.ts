import { fail, failureIn } from "../errors.js";
import { readRequest, rpcTestbed } from "../testing/rpc-testbed.js";

const { serving, clientTo, ends } = rpcTestbed();
afterEach(ends);

// Judged by their Connect codes alone, these could be lost connections.
test.each(["service_unavailable", "internal_error"] as const)(
  "a read that one replica refuses as %s is sent to no other: a refusal is its outcome",
  async (code) => {
    let asked = 0;
    const refuse = () => {
      asked++;
      throw fail(code);
    };
    const servers = [await serving(refuse), await serving(refuse)];
    const client = clientTo(servers.map(({ url }) => url).join(","));
    const error = await client.read(readRequest()).catch((reason: unknown) => reason);
    expect(failureIn(error)?.code).toBe(code);
    expect(asked).toBe(1);
  },
);
