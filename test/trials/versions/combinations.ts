/** The versions of npm packages and of nats-server on which the platform is tested together. */
export interface Combination {
  postgresql: string;
  natsServer: string;
  node: string;
}

/** The oldest supported version of everything, the newest, and one between them. */
export const combinations: Readonly<Record<string, Combination>> = {
  oldest: { postgresql: "15.18.0-beta.17", natsServer: "2.9.10", node: "20.19.0" },
  middle: { postgresql: "17.10.0-beta.17", natsServer: "2.10.29", node: "24.21.0" },
  newest: { postgresql: "18.4.0-beta.17", natsServer: "2.15.2", node: "26.10.0" },
};

/** Major versions of Node. */
export const nodes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(combinations).map(({ node }) => [node.split(".")[0], node]),
);
