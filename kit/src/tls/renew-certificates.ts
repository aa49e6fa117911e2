import { certificatesConfig } from "../process/config.js";
import { createLog } from "../process/log.js";
import { configured } from "../process/run-process.js";
import { keepCertificates } from "./keep-certificates.js";
import { kubernetesSecrets } from "./kubernetes-secrets.js";

// The command `certificates`: creates and renews the certificates that the parts in a Kubernetes cluster need for mutual TLS. You can run
// it again at any time.
const config = configured(certificatesConfig);
const log = createLog({ part: "certificates", level: config.LOG_LEVEL });
const HOUR_MS = 3_600_000;

try {
  const store = kubernetesSecrets({
    host: config.KUBERNETES_SERVICE_HOST,
    port: config.KUBERNETES_SERVICE_PORT,
    serviceAccount: config.SERVICE_ACCOUNT_DIR,
  });
  await keepCertificates(
    { store, log, now: new Date() },
    {
      authority: config.AUTHORITY_SECRET,
      certificates: config.CERTIFICATES,
      durationMs: config.CERTIFICATE_HOURS * HOUR_MS,
      renewBeforeMs: config.CERTIFICATE_RENEW_HOURS * HOUR_MS,
    },
  );
  log.info("certificates are up to date");
} catch (err) {
  log.fatal({ err }, "certificates are not up to date");
  process.exitCode = 1;
}
