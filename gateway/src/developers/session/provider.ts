import { createHash } from "node:crypto";
import type { Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import * as oidc from "openid-client";
import { z } from "zod";
import { FRESH_MINUTES } from "./session.js";

/** The client of an OpenID provider. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

// A page of the area and nothing else: no host, no dots, no query.
const RETURN_TO = /^\/developers(?:\/[\w-]+)*$/;

// Kept by the browser, in a cookie of ours, while it is at the provider. A changed cookie only makes the sign-in fail.
const authorizationRequestSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The page of the area to come back to. */
  returnTo: z.string().regex(RETURN_TO),
  /** The person has to authenticate again. */
  again: z.boolean(),
  /** The account that they want to work in; undefined if any of theirs will do. */
  accountId: z.string().optional(),
});

type AuthorizationRequest = z.output<typeof authorizationRequestSchema>;

/** A person's identity, according to the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Only one that the provider has verified. */
  email: string | undefined;
  /** When the person authenticated; undefined if the provider does not say. */
  authenticatedAt: Date | undefined;
}

/** The OpenID provider through which members sign in. */
export interface Provider {
  /** The URL to send the browser to. */
  begin(authorization: AuthorizationRequest): Promise<URL>;
  /** The identity that the callback brings, or undefined if anything about it is wrong. `url` is the callback's, with its query. */
  complete(authorization: AuthorizationRequest, url: URL): Promise<Identity | undefined>;
}

const ANSWER_SECONDS = 4;
/** The provider's clock may be that far from ours. A token is tied to its request by the nonce, so a late one is no risk. */
const SKEW_SECONDS = 300;

/** An authorization request with secrets of its own. */
export function newAuthorizationRequest(
  random: Random,
  wanted: Omit<AuthorizationRequest, "state" | "nonce" | "verifier">,
): AuthorizationRequest {
  const [state, nonce, verifier] = [1, 2, 3].map(() => Buffer.from(random(32)).toString("base64url"));
  return authorizationRequestSchema.parse({ state, nonce, verifier, ...wanted });
}

/** Whether a sign-in may return to this path. */
export function isAllowedReturnTo(path: string): boolean {
  return RETURN_TO.test(path);
}

/** The authorization request in a cookie, if it holds one. */
export function authorizationRequestFrom(cookie: string | undefined): AuthorizationRequest | undefined {
  try {
    return authorizationRequestSchema.parse(JSON.parse(Buffer.from(cookie ?? "", "base64url").toString()));
  } catch {
    return undefined;
  }
}

/** Whether somebody has authenticated within the last minutes. */
export function isRecent({ authenticatedAt }: Identity, now: Date): boolean {
  return authenticatedAt !== undefined && now.getTime() - authenticatedAt.getTime() < FRESH_MINUTES * 60_000;
}

/** A provider that is discovered when it is first needed, and again if that failed: nothing else waits for it. */
export function createProvider(settings: ProviderSettings, callback: () => string, log: Log): Provider {
  let discovered: Promise<oidc.Configuration> | undefined;

  function configuration(): Promise<oidc.Configuration> {
    discovered ??= discover(settings).catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  return {
    async begin({ state, nonce, verifier, again }) {
      return oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback(),
        scope: "openid email",
        state,
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
        // With `max_age` the provider says when the person authenticated.
        ...(again ? { prompt: "login", max_age: "0" } : { max_age: "28800" }),
      });
    },
    async complete({ state, nonce, verifier }, url) {
      try {
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        const tokens = await oidc.authorizationCodeGrant(await configuration(), url, checks);
        return identityOf(tokens.claims());
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

function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  const client = { client_secret: clientSecret, [oidc.clockTolerance]: SKEW_SECONDS };
  return oidc.discovery(url, clientId, client, undefined, {
    timeout: ANSWER_SECONDS,
    execute: [
      // An ID token has to be signed by the provider, whoever answered the connection on which it came.
      oidc.enableNonRepudiationChecks,
      // On loopback alone: the settings take no other http.
      ...(url.protocol === "http:" ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

function identityOf(claims: oidc.IDToken | undefined): Identity | undefined {
  if (!claims) return undefined;
  const { iss, sub, email, email_verified, auth_time } = claims;
  return {
    issuer: iss,
    subject: sub,
    email: email_verified === true && typeof email === "string" ? email : undefined,
    authenticatedAt: typeof auth_time === "number" ? new Date(auth_time * 1_000) : undefined,
  };
}
