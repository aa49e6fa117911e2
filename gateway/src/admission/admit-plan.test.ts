import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { createAdmit } from "./admit.js";

test("a request is admitted by looking up its key, however many accounts and keys there are, and whatever is known of them", async () => {
  const gateway = await gatewayDatabase();
  try {
    const { db, statements } = watched(gateway.db);
    const keys = [await gateway.newKey(), await gateway.newKey()];
    const admitted = createAdmit({ db, requestsPerMinute: 120, clockOffsetMs: 0 });
    for (const together of [keys.slice(0, 1), keys])
      await Promise.all(together.map(({ hash }) => admitted({ keyHash: hash })));
    expect(statements).toHaveLength(2);
    // Only these tables have grown. The others hold at most one row, for which any plan is right.
    const costly = async () => {
      const nodes = await Promise.all(statements.map((statement) => costlyNodes(gateway.db, statement)));
      return nodes.flat().filter((node) => /api_keys|accounts|hash/.test(node));
    };
    expect(await costly()).toEqual([]);
    await gateway.db.run(sql`
      WITH account AS (
        INSERT INTO accounts (id, name, created_at) SELECT 'acc_' || n, 'Acme', now() FROM generate_series(1, 150) AS n RETURNING id)
      INSERT INTO api_keys (id, account_id, environment, name, hash, last_four, scopes, created_at)
      SELECT 'key_' || md5(account.id || '-' || n), account.id, 'sandbox', 'Key', sha256((account.id || '-' || n)::bytea), 'abcd', '{orders:read}', now()
      FROM account, generate_series(1, 25) AS n`);
    expect(await costly()).toEqual([]);
    await gateway.db.run(sql`ANALYZE`);
    expect(await costly()).toEqual([]);
  } finally {
    await gateway.drop();
  }
});
