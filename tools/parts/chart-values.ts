import type { PartDeclaration } from "./declaration.js";
import { comment, withSection } from "./marked-section.js";

/** The values of the chart with those of the parts. The first part has a sentence for each value, the others for those that it has not. */
export function chartValues(text: string, parts: PartDeclaration[]): string {
  const values = `parts:\n${parts.map((part, index) => valuesOf(part, index === 0 ? undefined : parts[0])).join("")}`;
  const secrets = [...parts.map(({ name }) => name), "operator"].map((name) => `    ${name}: ""`).join("\n");
  return withSection(withSection(text, "parts", values), "Secrets", `  existingSecrets:\n${secrets}`);
}

/** One value and the sentence that explains it. */
type Value = [sentence: string, text: string];

function valuesOf(part: PartDeclaration, first: PartDeclaration | undefined): string {
  const explained = first ? Object.fromEntries(commonValues(first).map(([, text]) => [text.split(":")[0], true])) : {};
  const lines = [...ownValues(part), ...commonValues(part)].flatMap(([sentence, text]) => {
    const said = explained[text.split(":")[0] ?? ""] && !isOwn(part, text);
    return [...(said ? [] : [comment(sentence, "    ")]), ...text.split("\n").map((line) => `    ${line}`)];
  });
  const about = `${part.description}${first ? ` Values without a comment are explained at ${first.name}.` : ""}`;
  return `${comment(about, "  ")}\n  ${part.name}:\n${lines.join("\n")}\n`;
}

/** The Secret and the settings differ from part to part, even where all have them. */
function isOwn({ secrets, settings }: PartDeclaration, text: string): boolean {
  if (text.startsWith("existingSecret:")) return Object.keys(secrets).length > 0;
  return text.startsWith("settings:") && Object.keys(settings).length > 0;
}

/** Values that only some parts have. */
function ownValues({ optional, servers, receivers, ownAuthority }: PartDeclaration): Value[] {
  const values: Value[] = Object.entries(servers).map(([key, { description, with: setting, ports }]) => {
    const server = `${description.charAt(0).toLowerCase()}${description.slice(1, -1)}`;
    const only = receivers?.through === key ? " Receivers are then reached through it alone." : "";
    return [
      `For the NetworkPolicy: ports and peers of ${server}, used if ${setting} is set.${only} If peers is empty, any address.`,
      `${key}: { ports: [${ports.join(", ")}], peers: [] }`,
    ];
  });
  if (optional)
    values.unshift([`Whether the part runs. Without it, ${optional.without}.`, `enabled: ${optional.enabled}`]);
  if (ownAuthority)
    values.push([
      "Secret whose ca.crt the part trusts besides public authorities, for servers with a private one. If empty, none.",
      'caSecret: ""',
    ]);
  return values;
}

function commonValues(part: PartDeclaration): Value[] {
  const { replicas, database, resources, autoscaling } = part;
  const amounts = ({ cpu, memory, "ephemeral-storage": storage }: typeof resources.limits) =>
    `{ cpu: ${/^\d+$/.test(cpu) ? `"${cpu}"` : cpu}, memory: ${memory}, ephemeral-storage: ${storage} }`;
  return [
    ["Number of pods if `autoscaling` is off.", `replicas: ${replicas}`],
    [
      "Full image reference, for example with a digest. Replaces prefix and tag. If null, these apply; an empty one is refused.",
      "image: null",
    ],
    ...(hasSecret(part)
      ? ([
          [secretSentence(part), 'existingSecret: ""'],
          [
            'Secret settings that are elsewhere or have another key: `DATABASE_URL: { name: records-db-app, key: uri }`. For a database, `parameters` are added to the URL: "sslmode=verify-full&sslrootcert=/database-ca/ca.crt". If its Secret has only user and password: `{ name: db, userKey: username, passwordKey: password, host: db.internal }`, with `port` and `database` unless these are `databasePort` and the name of the part.',
            "secrets: {}",
          ],
        ] as Value[])
      : []),
    ...(database ? databaseValues(database.pool) : []),
    [settingsSentence(part), "settings: {}"],
    [
      "Resource requests and limits. The CPU limit is far above the request, so that startup and bursts are not throttled.",
      `resources:\n  requests: ${amounts(resources.requests)}\n  limits: ${amounts(resources.limits)}`,
    ],
    [
      "HorizontalPodAutoscaler between minReplicas and maxReplicas. Its target is cpuPercent of the requested CPU, and memoryPercent of the requested memory, if that is set. `behavior` limits how fast it scales. With `external`, another autoscaler, such as KEDA, sets the number of pods. Turned on for a running release, it leaves one pod for some seconds: docs/operations/capacity.md (Turn on the autoscaler) says what to do.",
      `autoscaling: { enabled: false, external: false, minReplicas: ${replicas}, maxReplicas: ${autoscaling.maxReplicas}, cpuPercent: 70 }`,
    ],
  ];
}

function databaseValues(pool: number): Value[] {
  return [
    [
      "File with the DATABASE_URL, instead of a Secret's key: from Vault, or from a Secret in `extraVolumes`. It is read again for each new connection, so that a new password needs no restart. Migrations read it at the same path.",
      'databaseUrlFile: ""',
    ],
    ["Maximum database connections per pod.", `databasePool: ${pool}`],
    ["NetworkPolicy peers of the database server. If empty, any address.", "databasePeers: []"],
  ];
}

/** Whether a part has secret settings. */
export function hasSecret({ database, bus, secrets }: PartDeclaration): boolean {
  return Boolean(database || bus) || Object.keys(secrets).length > 0;
}

function secretSentence({ database, bus, secrets }: PartDeclaration): string {
  const needed = [
    ...(database ? ["DATABASE_URL"] : []),
    ...Object.keys(secrets).filter((key) => secrets[key]?.trial),
    ...(bus ? ["what NATS asks for"] : []),
  ];
  const used = Object.entries(secrets).flatMap(([key, { with: setting }]) =>
    setting ? [`${key} if ${setting} is set`] : [],
  );
  const migrations = database ? " MIGRATION_DATABASE_URL belongs there if migrations use another role." : "";
  return `Secret with ${[...needed, ...used].join(", ")}.${migrations}`;
}

function settingsSentence({ settings }: PartDeclaration): string {
  const named = Object.entries(settings).map(([key, { description }]) =>
    description ? `${key} (${description})` : key,
  );
  return named.length > 0 ? `Further settings by name: ${named.join(", ")}.` : "Further settings by name: none yet.";
}
