import type { ServerResponse } from "node:http";
import type { PublicPart } from "@shipping/proto/parts";
import type { Express } from "express";
import { toOrigin } from "../../process/config.js";
import type { Metrics } from "../../process/metrics.js";
import { affordConnections } from "../../process/open-files.js";
import { choosePart, toPath } from "../public-paths.js";
import { createConnections, MAX_CONNECTIONS, measureConnections } from "./connections.js";
import { type HttpOptions, type HttpServer, listen } from "./listen.js";
import { createMessagePrototypes, type MessagePrototypes } from "./message-prototypes.js";
import { createUnreadBytes, DEFAULT_UNREAD, measureUnread, type UnreadLimits } from "./unread-bytes.js";

/** An Express application that answers the public paths of a part. */
export interface Application {
  app: Express;
  /** The account whose limit of unread bytes a response counts against, by its `locals`; undefined if it is not known. */
  accountOf(locals: object): string | undefined;
  /** Whether a response is being delayed on purpose. To make room, connections with such responses are closed before others. */
  isDelaying(response: ServerResponse): boolean;
}

export interface ListenerOptions
  extends Pick<HttpOptions, "port" | "host" | "stallMs" | "strictTransport" | "log" | "random"> {
  maxConnections?: number;
  unreadLimits?: UnreadLimits | undefined;
  metrics: Metrics;
}

export type PublicListener = ReturnType<typeof createPublicListener>;

/** The public HTTP port of a process. Connections, unread bytes and the stop are the same for all applications that share it. */
export function createPublicListener(options: ListenerOptions) {
  const { host, log, metrics, unreadLimits = DEFAULT_UNREAD } = options;
  const maxConnections = affordConnections(options.maxConnections ?? MAX_CONNECTIONS, log);
  const unread = createUnreadBytes(unreadLimits);
  measureUnread(metrics, unread, unreadLimits);
  let { port } = options;

  function prototypesOf({ app, accountOf }: Application): MessagePrototypes {
    return createMessagePrototypes(app, (response: ServerResponse & { locals?: object }) =>
      unread.count(response, accountOf(response.locals ?? {})),
    );
  }

  return {
    /** The URL at which this process reaches itself. If `port` is 0, it is right once `start` has resolved. */
    ownOrigin: () => toOrigin(host, port),

    /** Starts to answer. The paths of a part that is not among the applications are answered by the first of them. */
    async start(applications: Partial<Record<PublicPart, Application>>): Promise<HttpServer> {
      const all = Object.values(applications);
      const prototypes = all.map(prototypesOf);
      const [first] = all;
      if (!first) throw new Error("There is no application.");
      const isDelayed = (response: ServerResponse) => all.some(({ isDelaying }) => isDelaying(response));
      const connections = createConnections(maxConnections, isDelayed);
      measureConnections(metrics, connections, maxConnections);
      const server = await listen({
        ...options,
        connections,
        prototypes: prototypes[0],
        handler(request, response) {
          request.url = toPath(request.url);
          const { app } = applications[choosePart(request.url)] ?? first;
          app(request, response);
        },
      });
      port = server.port;
      return server;
    },

    /**
     * Opens a port for another part of the platform. Without `secure`, everyone who reaches it is trusted. Its unread bytes count together with those of the
     * public port.
     */
    startInternal(
      application: Application,
      { port, host, secure }: Pick<HttpOptions, "port" | "host" | "secure">,
    ): Promise<HttpServer> {
      return listen({
        ...options,
        ...{ port, host, secure, strictTransport: false },
        connections: createConnections(maxConnections, application.isDelaying),
        prototypes: prototypesOf(application),
        handler(request, response) {
          request.url = toPath(request.url);
          application.app(request, response);
        },
      });
    },
  };
}
