import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { runs } from "@shipping/kit/testing/runs";
import { startUnreliableProxy } from "../client/unreliable-proxy.js";
import { startStack } from "../platform/stack.js";
import { connectAgent } from "./agent.js";
import { labelsOf, playCorridor } from "./corridor.js";
import { mcpUnderTest } from "./mcp-under-test.js";

const CHAINS = runs(30);
const AT_ONCE = 8;

test(
  `${CHAINS} chains of calls at /mcp, whose gateway drops answers, stalls and answers 503, end with as many labels, none twice`,
  async () => {
    const stack = await startStack({ mcp: "all", requestsPerMinute: 1_000_000 });
    const proxy = await startUnreliableProxy(`http://127.0.0.1:${stack.internalPort}`);
    const mcp = await mcpUnderTest([Number(new URL(proxy.baseUrl).port)]);
    const key = (await stack.newCustomer()).sandbox;
    const made: string[] = [];
    let next = 0;
    const worker = async () => {
      const requestInit = { headers: { Authorization: `Bearer ${key}` } };
      const agent = await connected(() =>
        connectAgent(new StreamableHTTPClientTransport(new URL(mcp.url), { requestInit })),
      );
      while (next < CHAINS) made.push(await playCorridor(agent, `PO-${next++}`));
      await agent.close();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(new Set(made).size).toBe(CHAINS);
    expect(await labelsOf({ apiKey: key, baseUrl: stack.baseUrl })).toEqual([...made].sort());
    const { stalled, ...frequent } = proxy.faults;
    expect(Math.min(...Object.values(frequent))).toBeGreaterThan(0);
    if (CHAINS > 50) console.log(proxy.faults);
    await mcp.end();
    await proxy.stop();
    await stack.stop();
  },
  120_000 + CHAINS * 2_000,
);

/** Connects as a host does that tries again: the first messages of an agent may meet a gateway that does not answer. */
async function connected<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}
