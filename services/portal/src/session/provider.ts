import { createHash } from "node:crypto";
import type { Field } from "@shipping/api/input/fields";
import type { Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import { check, type Finding } from "@shipping/kit/service/finding";
import * as oidc from "openid-client";
import { z } from "zod";
import { FRESH_MINUTES } from "./session.js";

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A page of the area in a form or a query. */
export const RETURN_TO_FIELD: Field = { maxLength: 200 };

// A path in the area, without host, dots or query.
const RETURN_TO = /^\/developers(?:\/[\w-]+)*$/;

// Stored in a cookie while the browser is at the provider. Changing the cookie only makes the sign-in fail.
const authorizationRequestSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string().regex(RETURN_TO),
  /** True if the person must authenticate again. */
  again: z.boolean(),
  /** The account to sign in to; undefined if any will do. */
  accountId: z.string().optional(),
});

type AuthorizationRequest = z.output<typeof authorizationRequestSchema>;

/** A person's identity, according to the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Set only if the provider has verified it. */
  email: string | undefined;
  /** When the person authenticated; undefined if the provider does not say. */
  authenticatedAt: Date | undefined;
}

export type Provider = ReturnType<typeof createProvider>;

const ANSWER_SECONDS = 4;
/** How far the provider's clock may differ from ours. The nonce ties each token to its request, so a late token is no risk. */
const SKEW_SECONDS = 300;

/** Makes an authorization request with new secrets. */
export function newAuthorizationRequest(
  random: Random,
  wanted: Omit<AuthorizationRequest, "state" | "nonce" | "verifier">,
): AuthorizationRequest {
  const [state, nonce, verifier] = [1, 2, 3].map(() => Buffer.from(random(32)).toString("base64url"));
  return authorizationRequestSchema.parse({ state, nonce, verifier, ...wanted });
}

export function isAllowedReturnTo(path: string): boolean {
  return RETURN_TO.test(path);
}

export function readAuthorizationRequest(cookie: string | undefined): AuthorizationRequest | undefined {
  try {
    return authorizationRequestSchema.parse(JSON.parse(Buffer.from(cookie ?? "", "base64url").toString()));
  } catch {
    return undefined;
  }
}

export function isRecent({ authenticatedAt }: Identity, now: Date): boolean {
  return authenticatedAt !== undefined && now.getTime() - authenticatedAt.getTime() < FRESH_MINUTES * 60_000;
}

/** A provider whose metadata is fetched when it is first needed, and again after a failure. */
export function createProvider(settings: ProviderSettings, callback: () => string, log: Log) {
  let discovered: Promise<oidc.Configuration> | undefined;

  function configuration(): Promise<oidc.Configuration> {
    discovered ??= discover(settings).catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  return {
    async begin({ state, nonce, verifier, again }: AuthorizationRequest): Promise<URL> {
      return oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback(),
        scope: "openid email",
        state,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        // `max_age` makes the provider say when the person authenticated.
        ...(again ? { prompt: "login", max_age: "0" } : { max_age: "28800" }),
      });
    },
    /** Reads the identity from the callback's URL, or returns undefined if anything is wrong with it. */
    async complete({ state, nonce, verifier }: AuthorizationRequest, url: URL): Promise<Identity | undefined> {
      try {
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const tokens = await oidc.authorizationCodeGrant(await configuration(), url, checks);
        return toIdentity(tokens.claims());
      } catch (err) {
        log.warn(
          { reason: err instanceof Error ? err.message : String(err) },
          "sign-in through the OpenID provider refused",
        );
        return undefined;
      }
    },
  };
}

/** Checks whether the provider answers with its metadata. */
export function checkProvider(settings: ProviderSettings): Promise<Finding> {
  const at = settings.issuer;
  const advice = "Check OIDC_ISSUER, and whether the provider has a valid certificate for its name.";
  return check("sign-in provider", { at, advice }, async () => {
    await discover(settings);
    return { ok: true, says: `answering at ${at}` };
  });
}

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  const client = { client_secret: clientSecret, [oidc.clockTolerance]: SKEW_SECONDS };
  return oidc.discovery(url, clientId, client, undefined, {
    timeout: ANSWER_SECONDS,
    execute: [
      // Verify the signature of ID tokens even though they arrive over TLS.
      oidc.enableNonRepudiationChecks,
      // The settings accept http only on loopback.
      ...(url.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

function toIdentity(claims: oidc.IDToken | undefined): Identity | undefined {
  if (!claims) return undefined;
  const { iss, sub, email, email_verified, auth_time } = claims;
  return {
    issuer: iss,
    subject: sub,
    email: email_verified === true && typeof email === "string" ? email : undefined,
    authenticatedAt: typeof auth_time === "number" ? new Date(auth_time * 1_000) : undefined,
  };
}
