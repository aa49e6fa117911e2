import type { Database } from "@shipping/kit/postgres/database";
import { signedIn } from "@shipping/portal/testing/signed-in";

/** Adds a member to an account in the portal's database, whether or not the portal knows the account yet. Yields the cookie of a session. */
export const signIn = (
  portal: Database,
  { accountId, email, role }: { accountId: string; email: string; role: "admin" | "viewer" },
): Promise<string> => signedIn({ db: portal }, accountId, role, email);
