import { measureRequests } from "@shipping/kit/http/observe-request";
import type { Application } from "@shipping/kit/http/server/public-listener";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { createPortalApp } from "./app.js";
import { logSubscriptionChanges, logSubscriptionChangesOnce } from "./audit/log-subscription-changes.js";
import { countResources, portalAccountData } from "./database/account-data.js";
import { followChanges, followChangesOnce } from "./feed/follow-changes.js";
import { checkMailServer } from "./mail/check-mail-server.js";
import { createDeliver } from "./mail/deliver.js";
import { createMailer } from "./mail/mailer.js";
import { portalOperationsRoutes } from "./operator/portal-operations.js";
import type { AreaDeps } from "./page/page.js";
import { checkProvider } from "./session/provider.js";
import type { AreaSettingsDeps } from "./session/settings.js";
import { sweepAccess } from "./session/sweep-access.js";
import { sendAlerts } from "./webhooks/send-alerts.js";

const FAST_STOP_MS = 500;

export interface Portal extends Running {
  /** A public listener serves it. It stops before the portal. */
  application: Application;
  routes: Routes;
}

/** The methods that each part may call. The operator's commands run in the gateway's pods, as the gateway. */
export const portalPeers: Peers = {
  gateway: [...PortalOperationsService.methods, ...OwnerOperationsService.methods],
};

export type PortalParts = Omit<AreaDeps, "mailer" | "catchUp"> & AreaSettingsDeps & { metrics: Metrics };

/** Starts the portal's background work and makes its application and its RPCs. */
export function startPortal(deps: PortalParts): Portal {
  const { db, log, metrics, random, ownOrigin, mail, developerArea } = deps;
  const mailer = createMailer({ deliver: mail && createDeliver(mail), log, metrics, random });
  const accounts = followChanges(deps);
  const subscriptions = logSubscriptionChanges(deps);
  const sweeping = sweepAccess(deps);
  const area = mailer.canSend ? developerArea : undefined;
  const alerts = area && sendAlerts({ ...deps, mailer, origin: () => area.publicUrl ?? ownOrigin() });
  const catchUp = async () => {
    const [ofAccounts, ofSubscriptions] = await Promise.allSettled([
      followChangesOnce(deps),
      logSubscriptionChangesOnce(deps),
    ]);
    const missing = {
      accounts: ofAccounts.status === "rejected",
      subscriptions: ofSubscriptions.status === "rejected",
    };
    for (const outcome of [ofAccounts, ofSubscriptions])
      if (outcome.status === "rejected")
        log.warn({ err: outcome.reason }, "the audit log is shown without the latest changes");
    return missing;
  };
  const provider = developerArea?.provider;
  const serverChecks = [
    ...(mail && "smtp" in mail ? [() => checkMailServer(mail.smtp)] : []),
    ...(provider ? [() => checkProvider(provider)] : []),
  ];
  return {
    application: createPortalApp({ ...deps, mailer, catchUp, countRequest: measureRequests(metrics) }),
    routes(router) {
      ownerOperationsRoutes(router, { db, countResources, accountData: portalAccountData });
      portalOperationsRoutes(router, { ...deps, serverChecks });
    },
    async stop(fast) {
      const stopMailer = mailer.stop(fast ? FAST_STOP_MS : undefined);
      await Promise.all([sweeping.stop(), accounts.stop(), subscriptions.stop(), stopMailer]);
      await alerts?.stop();
    },
  };
}
