import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { type CertificateStore, type Files, sameFiles } from "./keep-certificates.js";

/** Where the API of the cluster is, and the folder with the token, the authority and the namespace of a service account. */
export interface Cluster {
  host: string;
  port: number;
  serviceAccount: string;
}

/** A Secret from the API, as far as it is read; the rest is sent back unchanged. */
interface Secret {
  metadata: object;
  data?: Record<string, string>;
}

const ANSWER_MS = 10_000;

/**
 * Keeps files in existing Secrets, so that a service account needs no right to create any. If somebody else has changed a Secret meanwhile,
 * the API refuses the update, and this throws.
 */
export function kubernetesSecrets(cluster: Cluster): CertificateStore {
  return {
    async update(name, change) {
      const secret = await callApi(cluster, "GET", name);
      const before = decoded(secret.data ?? {});
      const after = await change(before);
      if (!sameFiles(before, after)) await callApi(cluster, "PUT", name, { ...secret, data: encoded(after) });
      return after;
    },
  };
}

const encoded = (files: Files) => mapValues(files, (text) => Buffer.from(text).toString("base64"));
const decoded = (data: Files) => mapValues(data, (base64) => Buffer.from(base64, "base64").toString());

function mapValues(files: Files, map: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, map(text)]));
}

async function callApi(cluster: Cluster, method: "GET" | "PUT", name: string, body?: Secret): Promise<Secret> {
  const ours = (file: string) => readFile(join(cluster.serviceAccount, file), "utf8");
  const [token, ca, namespace] = await Promise.all([ours("token"), ours("ca.crt"), ours("namespace")]);
  const { host, port } = cluster;
  const path = `/api/v1/namespaces/${namespace.trim()}/secrets/${name}`;
  const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, ca, timeout: ANSWER_MS }, (answer) => {
      answer.toArray().then((chunks) => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} of Secret ${name}: ${answer.statusCode} ${text}`));
      }, reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} of Secret ${name}: no answer from ${host}:${port}`)));
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}
