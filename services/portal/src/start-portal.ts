import type { DerivedRows } from "@shipping/kit/derived/derived-rows";
import { keepDerived } from "@shipping/kit/derived/keep-derived";
import { measureRequests } from "@shipping/kit/http/observe-request";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { writeInvitation } from "./account/write-invitation.js";
import { createPortalApp, type PortalApplication } from "./app.js";
import { subscriptionFeed } from "./audit/log-subscription-changes.js";
import { countResources, portalAccountData } from "./database/account-data.js";
import { portalMigrations } from "./database/deps.js";
import { derivedAccounts } from "./feed/derived-accounts.js";
import { derivedEntries } from "./feed/derived-entries.js";
import { accountFeed } from "./feed/follow-changes.js";
import type { Feed } from "./feed/follow-feed.js";
import { checkMailServer } from "./mail/check-mail-server.js";
import { createDeliver } from "./mail/deliver.js";
import { checkMails } from "./mail/mails.js";
import { sendMails } from "./mail/send-mails.js";
import type { MailRoute } from "./mail/settings.js";
import { portalOperationsRoutes } from "./operator/portal-operations.js";
import type { AreaDeps } from "./page/page.js";
import { checkProvider } from "./session/provider.js";
import type { AreaSettingsDeps, DeveloperArea } from "./session/settings.js";
import { sweepAccess } from "./session/sweep-access.js";
import { writeLinkMail } from "./sign-in/link-mail.js";
import { sendAlerts, writeAlert } from "./webhooks/send-alerts.js";

export interface Portal extends Running {
  /** A public listener serves it. It stops before the portal. */
  application: PortalApplication;
  routes: Routes;
}

/** The methods that each part, and the operator, may call. */
export const portalPeers: Peers = {
  operator: [...PortalOperationsService.methods, ...OwnerOperationsService.methods],
};

export type PortalParts = Omit<AreaDeps, "canMail" | "catchUp"> & AreaSettingsDeps & { metrics: Metrics };

/** Starts the portal's background work and makes its application and its RPCs. */
export function startPortal(deps: PortalParts): Portal {
  const { db, log, metrics, mail, developerArea } = deps;
  const [changes, subscriptions] = [accountFeed(deps), subscriptionFeed(deps)];
  const feeds = { "keys and voided labels": changes, subscriptions };
  const derived: DerivedRows[] = [
    derivedAccounts(deps),
    derivedEntries(deps, changes.source),
    derivedEntries(deps, subscriptions.source),
  ];
  const keeping = keepDerived({ ...deps, all: derived });
  const sweeping = sweepAccess(deps);
  const sending = mail && developerArea && startMail(deps, mail, developerArea);
  const following = [changes.follow(), subscriptions.follow()];
  const findMissing = async ([changes, feed]: [string, Pick<Feed, "once">]) => {
    try {
      await feed.once();
      return [];
    } catch (err) {
      log.warn({ err }, "the audit log is shown without the latest changes");
      return [changes];
    }
  };
  const catchUp = async () => (await Promise.all(Object.entries(feeds).map(findMissing))).flat();
  const provider = developerArea?.provider;
  const serverChecks = [
    ...(mail && "smtp" in mail ? [() => checkMailServer(mail.smtp)] : []),
    ...(mail ? [() => checkMails(deps)] : []),
    ...(provider ? [() => checkProvider(provider)] : []),
  ];
  return {
    application: createPortalApp({
      ...deps,
      canMail: mail !== undefined,
      catchUp,
      countRequest: measureRequests(metrics),
    }),
    routes(router) {
      ownerOperationsRoutes(router, {
        db,
        countResources,
        accountData: portalAccountData,
        migrations: portalMigrations,
        derived,
      });
      portalOperationsRoutes(router, { ...deps, serverChecks });
    },
    async stop(fast) {
      await Promise.all([
        sweeping.stop(),
        keeping.stop(),
        ...following.map((loop) => loop.stop()),
        sending?.stop(fast),
      ]);
    },
  };
}

/** Starts what writes alerts, and what sends all emails. */
function startMail(deps: PortalParts, route: MailRoute, area: DeveloperArea) {
  const from = { ...deps, origin: () => area.publicUrl ?? deps.ownOrigin() };
  const alerts = sendAlerts(from);
  const mails = sendMails({
    ...deps,
    deliver: createDeliver(route),
    writers: {
      sign_in_link: (waiting) => writeLinkMail(from, waiting),
      invitation: (waiting) => writeInvitation(from, waiting),
      alert: writeAlert,
    },
  });
  return { stop: (fast?: boolean) => Promise.all([alerts.stop(), mails.stop(fast)]) };
}
