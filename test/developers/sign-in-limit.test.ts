import { useArea } from "./area.js";
import { journeysOf, useProvider } from "./provider.js";
import type { PageAnswer } from "./visitor.js";

const provider = useProvider();
const area = useArea({ developerArea: { provider } });
const { newMember, beginSignIn, through, signIn } = journeysOf(area, provider);

const MADE_UP = `/developers/sign-in/link#${"A".repeat(43)}`;
const CALLBACK = "/developers/sign-in/callback?code=a&state=b";

const times = (count: number, run: () => Promise<PageAnswer>) => Promise.all(Array.from({ length: count }, run));
const statusesOf = (answers: PageAnswer[]) => [...new Set(answers.map(({ status }) => status))];

describe("after a hundred refused attempts from an IP address", () => {
  area.testLimit("one that is made up is 429, whichever way it is; a valid link is shown, and signs in", async () => {
    const [looked, opened] = [await area.newLink(), await area.newLink()];
    const stranger = area.visitor();
    expect(statusesOf(await times(60, () => stranger.get(MADE_UP)))).toEqual([404]);
    expect(statusesOf(await times(40, () => stranger.post(MADE_UP)))).toEqual([404]);
    const over = [await stranger.get(MADE_UP), await stranger.post(MADE_UP), await stranger.get(CALLBACK)];
    expect(over.map(({ status, headers }) => [status, headers["retry-after"]])).toEqual(Array(3).fill([429, "600"]));
    expect(over[0]?.html).toContain("Too many sign-in attempts from your IP address. Try again in 10 minutes.");

    expect((await area.visitor().get(looked.path)).html).toContain(looked.email);
    expect((await area.visitor().post(opened.path)).status).toBe(303);
    expect((await area.visitor().post(opened.path)).status).toBe(429);
  });

  area.testLimit("a valid callback signs in", async () => {
    expect(statusesOf(await times(100, () => area.visitor().get(CALLBACK)))).toEqual([403]);
    expect((await area.visitor().get(CALLBACK)).status).toBe(429);
    expect(await signIn(await newMember())).toMatchObject({ status: 303, location: "/developers/sandbox" });
  });
});

area.testLimit(
  "from a client's 301st callback on, the provider is asked nothing: 429; the code works later",
  async () => {
    const member = await newMember();
    const callback = await through(member.there, await beginSignIn(member.here), member.email);
    const madeUp = callback.replace(/code=[^&]*/, "code=made-up");
    const cookie = member.here.cookies();
    expect((await area.visitor().get(madeUp, { cookie })).status).toBe(403);
    // Counts in this window and in the next, which may begin any moment.
    const counted = await area.query(
      `INSERT INTO mail_counts (name, since, count)
     SELECT name, since + n * interval '10 minutes', 300 FROM mail_counts, generate_series(0, 1) AS n
     WHERE name = 'source:provider:127.0.0.1' ON CONFLICT (name, since) DO UPDATE SET count = 300 RETURNING name`,
    );
    expect(counted).toHaveLength(2);
    for (const path of [madeUp, callback]) {
      const { status, headers } = await member.here.get(path);
      expect([status, headers["retry-after"]]).toEqual([429, "600"]);
    }
    await area.query("DELETE FROM mail_counts");
    expect((await member.here.get(callback)).status).toBe(303);
  },
);

describe("requests that another site's page makes a browser send do not count", () => {
  area.testLimit("a frame", async () => {
    const headers = { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const victim = area.visitor();
    expect(statusesOf(await times(120, () => victim.get(CALLBACK, { headers })))).toEqual([403]);
    expect((await victim.get(CALLBACK)).status).toBe(403);
  });

  area.testLimit("a form does, whatever its sender says of it: no stranger's page can submit it", async () => {
    const headers = { "sec-fetch-dest": "image", "sec-fetch-site": "same-origin" };
    const stranger = area.visitor();
    expect(statusesOf(await times(100, () => stranger.post(MADE_UP, {}, { headers })))).toEqual([404]);
    expect((await stranger.post(MADE_UP, {}, { headers })).status).toBe(429);
  });
});
