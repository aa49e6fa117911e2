// A real OpenID provider on loopback, in a process of its own: it takes any password, and an e-mail for a person. Those at
// `unverified.example` are not verified. Prints its issuer, and ends with its input.
import { once } from "node:events";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "developer-area",
      client_secret: "a-secret-of-the-developer-area",
      // Of a native client's loopback address, the provider ignores the port.
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/developers/sign-in/callback"],
    },
  ],
  cookies: { keys: ["a key of the provider's cookies"] },
  claims: { openid: ["sub"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: !id.endsWith("@unverified.example") }),
  }),
});
server.on("request", provider.callback());

process.stdout.write(`${issuer}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
