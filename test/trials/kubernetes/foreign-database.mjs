// Run in a pod of a part: tries to connect to webhooks' database as the part's role, and prints the error.
import { createRequire } from "node:module";

const pg = createRequire("/app/kit/package.json")("pg");
const url = new URL(process.env.DATABASE_URL);
url.pathname = "/webhooks";
const client = new pg.Client({ connectionString: url.href });
try {
  await client.connect();
  process.stdout.write("connected");
  await client.end();
} catch (error) {
  process.stdout.write(error.message);
}
