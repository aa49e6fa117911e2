import { createKeyAsAsked, showKeyForm } from "./create-key.js";
import { showKeys } from "./keys.js";
import { showOverview } from "./overview.js";
import type { PageRoute } from "./page.js";
import { askToRevokeKey, revokeKeyAsAsked } from "./revoke-key.js";
import { askToSignIn, redeemAsAsked, showEntrance, signOut } from "./sign-in.js";

/** Every page of the developer area: what it takes to see it, and what answers. */
export const pages: readonly PageRoute[] = [
  { method: "GET", path: "", access: "anyone", handler: showEntrance },
  { method: "POST", path: "/sign-out", access: "anyone", handler: signOut },
  { method: "GET", path: "/sign-in/{token}", access: "anyone", handler: askToSignIn },
  { method: "POST", path: "/sign-in/{token}", access: "anyone", handler: redeemAsAsked },
  { method: "GET", path: "/{environment}", section: "overview", access: "viewer", handler: showOverview },
  { method: "GET", path: "/{environment}/keys", section: "keys", access: "viewer", handler: showKeys },
  {
    method: "GET",
    path: "/{environment}/keys/new",
    section: "keys",
    access: "admin",
    fresh: true,
    handler: showKeyForm,
  },
  {
    method: "POST",
    path: "/{environment}/keys/new",
    section: "keys",
    access: "admin",
    fresh: true,
    handler: createKeyAsAsked,
  },
  {
    method: "GET",
    path: "/{environment}/keys/{id}/revoke",
    section: "keys",
    access: "admin",
    fresh: true,
    handler: askToRevokeKey,
  },
  {
    method: "POST",
    path: "/{environment}/keys/{id}/revoke",
    section: "keys",
    access: "admin",
    fresh: true,
    handler: revokeKeyAsAsked,
  },
];
