import { NO_FIELDS } from "@shipping/api/input/fields";
import { accountFields, showAccounts, showQuickStart, submitAccount } from "./account/accounts.js";
import { auditQuery } from "./account/audit-filter.js";
import { showAuditLog } from "./account/audit-log.js";
import { confirmRemove, roleFields, showRoleForm, submitRemove, submitRoleForm } from "./account/change-member.js";
import { exportAudit } from "./account/export-audit.js";
import {
  confirmInviteAgain,
  inviteFields,
  showInviteForm,
  submitInviteAgain,
  submitInviteForm,
} from "./account/invite-member.js";
import { showMembers } from "./account/members.js";
import {
  confirmEndMemberSessions,
  confirmEndSessions,
  sessionFields,
  showMemberSessions,
  showSessions,
  submitMemberSessions,
  submitSessions,
} from "./account/sessions.js";
import { showEvent } from "./events/event.js";
import { exportList, exportQuery } from "./exports/export-list.js";
import { keyFields, showKeyForm, submitKeyForm } from "./keys/create-key.js";
import { showKey } from "./keys/key.js";
import { confirmRevoke, showKeys, submitRevoke } from "./keys/keys.js";
import { confirmRevokeMany, manyKeysFields, manyKeysQuery, submitRevokeMany } from "./keys/revoke-keys.js";
import { newsQuery } from "./lists/news.js";
import { showViews, submitViews, viewFields, viewsQuery } from "./lists/saved-views.js";
import { showOverview } from "./overview/overview.js";
import { searchQuery } from "./page/layout.js";
import type { AccountPage, PageRoute, Section } from "./page/page.js";
import { pagingQuery } from "./page/paging.js";
import { confirmationFields } from "./page/read-form.js";
import { requestsQuery } from "./requests/filter.js";
import { showRequest } from "./requests/request.js";
import { showRequestNews, showRequests } from "./requests/requests.js";
import { type ListedKind, listQuery } from "./resources/filter.js";
import { showNews } from "./resources/find-resources.js";
import { confirmVoid, downloadLabel, fileQuery, showLabel, showPicture, submitVoid } from "./resources/label.js";
import { showLabels } from "./resources/labels.js";
import { downloadLabels } from "./resources/merge-labels.js";
import { showOrder, showOrders } from "./resources/orders.js";
import { mergeQuery } from "./resources/record-table.js";
import { showShipment, showShipments } from "./resources/shipments.js";
import { showSearch } from "./search/search.js";
import { confirmDecline, showDecline, submitDecline } from "./sign-in/decline-invitation.js";
import { requestLink, requestLinkFields, showLinkForm } from "./sign-in/request-link.js";
import { showEntrance, signOut } from "./sign-in/sign-in.js";
import { confirmSignIn, linkFields, showLink, submitSignIn } from "./sign-in/sign-in-link.js";
import {
  beginProviderSignIn,
  callbackQuery,
  completeProviderSignIn,
  providerQuery,
} from "./sign-in/sign-in-provider.js";
import {
  likeQuery,
  showSubscriptionForm,
  submitSubscriptionForm,
  subscriptionFields,
} from "./webhooks/create-subscription.js";
import { nameFields, showNameForm, submitNameForm } from "./webhooks/name-endpoint.js";
import { confirmDisable, showSubscription, submitDisable } from "./webhooks/subscription.js";
import { showSubscriptionNews, showSubscriptions, subscriptionNewsQuery } from "./webhooks/subscriptions.js";
import { showTest, submitTest, testQuery } from "./webhooks/test-page.js";

/** The pages of a section, whose paths begin with that of the section. */
const section = (name: Section, path: string, rows: readonly AccountPage[]) =>
  rows.map((row) => ({ ...row, path: path + row.path, section: name }));

/** The files of a list, and the page that says how many of its rows are new. */
const companions = (kind: ListedKind): AccountPage[] => [
  { method: "GET", path: "/csv", access: "viewer", query: exportQuery, handler: exportList(kind, "csv") },
  { method: "GET", path: "/xlsx", access: "viewer", query: exportQuery, handler: exportList(kind, "xlsx") },
  {
    method: "GET",
    path: "/news",
    access: "viewer",
    query: newsQuery(listQuery),
    polled: true,
    handler: showNews(kind),
  },
];

/** All pages of the developer area. Fixed paths come before `{environment}`, because the first match wins. */
export const pages: readonly PageRoute[] = [
  { method: "GET", path: "", access: "anyone", handler: showEntrance },
  { method: "POST", path: "/sign-out", access: "anyone", form: undefined, handler: signOut },
  { method: "GET", path: "/sign-in", access: "anyone", handler: showLinkForm },
  { method: "POST", path: "/sign-in", access: "anyone", form: requestLinkFields, handler: requestLink },
  { method: "GET", path: "/sign-in/provider", access: "anyone", query: providerQuery, handler: beginProviderSignIn },
  { method: "GET", path: "/sign-in/callback", access: "anyone", query: callbackQuery, handler: completeProviderSignIn },
  { method: "GET", path: "/sign-in/link", access: "anyone", handler: showLink },
  { method: "POST", path: "/sign-in/link", access: "anyone", form: linkFields, handler: confirmSignIn },
  { method: "POST", path: "/sign-in/link/confirm", access: "anyone", form: linkFields, handler: submitSignIn },
  { method: "GET", path: "/decline", access: "anyone", handler: showDecline },
  { method: "POST", path: "/decline", access: "anyone", form: linkFields, handler: confirmDecline },
  { method: "POST", path: "/decline/confirm", access: "anyone", form: linkFields, handler: submitDecline },
  { method: "GET", path: "/accounts", access: "viewer", handler: showAccounts },
  { method: "POST", path: "/accounts", access: "viewer", form: accountFields, handler: submitAccount },
  { method: "GET", path: "/sessions", section: "sessions", access: "viewer", handler: showSessions },
  { method: "POST", path: "/sessions", access: "viewer", form: sessionFields, handler: submitSessions },
  { method: "GET", path: "/sessions/end", section: "sessions", access: "viewer", handler: confirmEndSessions },
  { method: "GET", path: "/audit", section: "audit", access: "viewer", query: auditQuery, handler: showAuditLog },
  { method: "GET", path: "/audit/csv", section: "audit", access: "viewer", query: auditQuery, handler: exportAudit },
  { method: "GET", path: "/quick-start", section: "quick-start", access: "viewer", handler: showQuickStart },
  ...section("members", "/members", [
    { method: "GET", path: "", access: "viewer", query: pagingQuery, handler: showMembers },
    { method: "GET", path: "/invite", access: "admin", handler: showInviteForm },
    { method: "POST", path: "/invite", access: "admin", form: inviteFields, handler: submitInviteForm },
    { method: "GET", path: "/{id}/invite-again", access: "admin", handler: confirmInviteAgain },
    {
      method: "POST",
      path: "/{id}/invite-again",
      access: "admin",
      form: confirmationFields,
      handler: submitInviteAgain,
    },
    { method: "GET", path: "/{id}/role", access: "admin", handler: showRoleForm },
    { method: "POST", path: "/{id}/role", access: "admin", form: roleFields, handler: submitRoleForm },
    { method: "GET", path: "/{id}/sessions", access: "admin", handler: showMemberSessions },
    { method: "POST", path: "/{id}/sessions", access: "admin", form: NO_FIELDS, handler: submitMemberSessions },
    { method: "GET", path: "/{id}/sessions/end", access: "admin", handler: confirmEndMemberSessions },
    { method: "GET", path: "/{id}/remove", access: "admin", handler: confirmRemove },
    { method: "POST", path: "/{id}/remove", access: "admin", form: NO_FIELDS, handler: submitRemove },
  ]),
  { method: "GET", path: "/{environment}", section: "overview", access: "viewer", handler: showOverview },
  { method: "GET", path: "/{environment}/search", access: "viewer", query: searchQuery, handler: showSearch },
  { method: "GET", path: "/{environment}/views", access: "viewer", query: viewsQuery, handler: showViews },
  { method: "POST", path: "/{environment}/views", access: "viewer", form: viewFields, handler: submitViews },
  ...section("shipments", "/{environment}/shipments", [
    { method: "GET", path: "", access: "viewer", query: listQuery, handler: showShipments },
    ...companions("shipments"),
    { method: "GET", path: "/{id}", access: "viewer", heavy: true, handler: showShipment },
  ]),
  ...section("orders", "/{environment}/orders", [
    { method: "GET", path: "", access: "viewer", query: listQuery, handler: showOrders },
    ...companions("orders"),
    { method: "GET", path: "/{id}", access: "viewer", query: pagingQuery, heavy: true, handler: showOrder },
  ]),
  ...section("labels", "/{environment}/labels", [
    { method: "GET", path: "", access: "viewer", query: listQuery, handler: showLabels },
    ...companions("labels"),
    { method: "GET", path: "/merged", access: "viewer", query: mergeQuery, handler: downloadLabels },
    { method: "GET", path: "/{id}", access: "viewer", heavy: true, handler: showLabel },
    { method: "GET", path: "/{id}/file", access: "viewer", query: fileQuery, heavy: true, handler: downloadLabel },
    { method: "GET", path: "/{id}/picture", access: "viewer", heavy: true, handler: showPicture },
    { method: "GET", path: "/{id}/void", access: "admin", handler: confirmVoid },
    { method: "POST", path: "/{id}/void", access: "admin", form: confirmationFields, handler: submitVoid },
  ]),
  ...section("requests", "/{environment}/requests", [
    { method: "GET", path: "", access: "viewer", query: requestsQuery, handler: showRequests },
    {
      method: "GET",
      path: "/news",
      access: "viewer",
      query: newsQuery(requestsQuery),
      polled: true,
      handler: showRequestNews,
    },
    { method: "GET", path: "/{id}", access: "viewer", handler: showRequest },
  ]),
  ...section("keys", "/{environment}/keys", [
    { method: "GET", path: "", access: "viewer", query: pagingQuery, handler: showKeys },
    { method: "GET", path: "/new", access: "admin", handler: showKeyForm },
    { method: "POST", path: "/new", access: "admin", form: keyFields, handler: submitKeyForm },
    { method: "GET", path: "/revoke", access: "admin", query: manyKeysQuery, handler: confirmRevokeMany },
    { method: "POST", path: "/revoke", access: "admin", form: manyKeysFields, handler: submitRevokeMany },
    { method: "GET", path: "/{id}", access: "viewer", handler: showKey },
    { method: "GET", path: "/{id}/revoke", access: "admin", handler: confirmRevoke },
    { method: "POST", path: "/{id}/revoke", access: "admin", form: NO_FIELDS, handler: submitRevoke },
  ]),
  ...section("webhooks", "/{environment}/events", [
    { method: "GET", path: "/{id}", access: "viewer", heavy: true, handler: showEvent },
  ]),
  ...section("webhooks", "/{environment}/webhooks", [
    { method: "GET", path: "", access: "viewer", query: pagingQuery, handler: showSubscriptions },
    {
      method: "GET",
      path: "/news",
      access: "viewer",
      query: subscriptionNewsQuery,
      polled: true,
      handler: showSubscriptionNews,
    },
    { method: "GET", path: "/new", access: "admin", query: likeQuery, handler: showSubscriptionForm },
    { method: "POST", path: "/new", access: "admin", form: subscriptionFields, handler: submitSubscriptionForm },
    { method: "GET", path: "/{id}", access: "viewer", handler: showSubscription },
    { method: "GET", path: "/{id}/test", access: "viewer", query: testQuery, heavy: true, handler: showTest },
    {
      method: "POST",
      path: "/{id}/test",
      access: "admin",
      form: confirmationFields,
      heavy: true,
      handler: submitTest,
    },
    { method: "GET", path: "/{id}/name", access: "admin", handler: showNameForm },
    { method: "POST", path: "/{id}/name", access: "admin", form: nameFields, handler: submitNameForm },
    { method: "GET", path: "/{id}/disable", access: "admin", handler: confirmDisable },
    { method: "POST", path: "/{id}/disable", access: "admin", form: confirmationFields, handler: submitDisable },
  ]),
];
