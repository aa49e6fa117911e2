import type { PartDeclaration } from "./declaration.js";

/** The configuration of NATS for a trial and for this machine: `deploy/chart/files/nats.conf`. */
export function busUsers(parts: PartDeclaration[]): string {
  return `# \`npm run parts\` writes this file from the part.yaml of each part.
# The users of the event bus and their permissions. Anonymous clients are refused. Passwords come from the server's environment. An event's
# subject is events.<environment>.<resource>.<verb>; each part has an inbox prefix of its own for replies.
authorization {
  users: [
${parts.map(userOf).join("")}    # A person with the nats command.
    { user: operator, password: $NATS_PASSWORD_OPERATOR }
  ]
}
`;
}

function userOf({ name, bus }: PartDeclaration): string {
  if (!bus) return "";
  const subjects = [
    ...(bus.publishes ?? []).map((resource) => `events.*.${resource}.*`),
    ...(bus.ownsStream ? streamRequests(name) : []),
  ].map((subject) => `"${subject}"`);
  const about = bus.publishes
    ? ""
    : "    # Creates the stream and its consumer, also after they were deleted or changed. It cannot publish events.\n";
  const list = bus.ownsStream
    ? `[\n${subjects.map((one) => `          ${one}\n`).join("")}        ]`
    : `[${subjects.join(", ")}]`;
  return `${about}    {
      user: ${name}, password: $NATS_PASSWORD_${name.toUpperCase()}
      permissions: {
        publish: ${list}
        subscribe: ["_INBOX.${name}.>"]
      }
    }
`;
}

function streamRequests(consumer: string): string[] {
  return [
    ...["STREAM.CREATE", "STREAM.UPDATE", "STREAM.INFO"].map((request) => `$JS.API.${request}.EVENTS`),
    "$JS.API.STREAM.NAMES",
    ...["CONSUMER.CREATE", "CONSUMER.INFO", "CONSUMER.DELETE", "CONSUMER.MSG.NEXT"].map(
      (request) => `$JS.API.${request}.EVENTS.${consumer}`,
    ),
    `$JS.ACK.EVENTS.${consumer}.>`,
  ];
}
