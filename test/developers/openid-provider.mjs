// A real OpenID provider on loopback, in a process of its own: it accepts any password, and the email address identifies a person. Email addresses
// at `unverified.example` are not verified. Those at a host of `tokens` get a token with a wrong signature or with a wrong time. Prints its
// issuer, and ends with its input.
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import Provider from "oidc-provider";

const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;

const own = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const provider = new Provider(issuer, {
  jwks: { keys: [{ ...own.export({ format: "jwk" }), kid: "own", use: "sig", alg: "RS256" }] },
  clients: [
    {
      client_id: "developer-area",
      client_secret: "a-secret-of-the-developer-area",
      // The provider ignores the port of a native client's loopback URL.
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

const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const partOf = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claimsIn = (payload) => JSON.parse(Buffer.from(payload, "base64url"));
const signed = (header, payload, key) =>
  [header, payload, sign("sha256", Buffer.from(`${header}.${payload}`), key).toString("base64url")].join(".");
/** A token that was issued this many minutes ago and is valid for two minutes. */
const madeAgo = (minutes) => (header, payload) => {
  const iat = Math.floor(Date.now() / 1000) - minutes * 60;
  return signed(header, partOf({ ...claimsIn(payload), iat, exp: iat + 120 }), own);
};
const tokens = {
  "altered.example": (header, payload, signature) =>
    [header, partOf({ ...claimsIn(payload), auth_time: 1 }), signature].join("."),
  "other-key.example": (header, payload) => signed(header, payload, stranger),
  "unsigned.example": (_header, payload) => [partOf({ alg: "none" }), payload, ""].join("."),
  "behind.example": madeAgo(5),
  "ahead.example": madeAgo(-5),
  "expired.example": madeAgo(8),
};
provider.use(async (context, next) => {
  await next();
  const made = tokens[context.oidc?.account?.accountId.split("@")[1]];
  if (made && context.body?.id_token) context.body.id_token = made(...context.body.id_token.split("."));
});
server.on("request", provider.callback());

process.stdout.write(`${issuer}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
