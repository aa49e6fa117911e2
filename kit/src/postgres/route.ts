import { isDemoted, isSilence } from "./outage.js";

/** A connection of a pool. */
interface Routed {
  /** The round in which it was opened or last answered. */
  round: number;
  takesWrites(): Promise<boolean>;
}

/**
 * The state of the way from a part to its server, which the part's pools share.
 *
 * After a failover, the open connections lead to a server that takes no writes or does not respond. Finding out would cost one statement for
 * each connection, so the finding of one applies to all. A server that takes no writes is not a primary. A server that did not answer in
 * time may only be waiting for something, so it is asked again, on another connection, before the others are closed.
 */
export class Route {
  /** True if a pooler refuses `options`, as PgBouncer does. Then the settings are those of the role in the database. */
  isBare = false;
  round = 0;
  /** The roles that log in. A starting part stores the settings of the first. */
  private readonly roles = new Set<string>();
  private storing: Promise<void> | undefined;
  // Connections of rounds before `doubted` are in doubt; those of rounds before `gone` lead to a server that is gone.
  private doubted = 0;
  private gone = 0;

  /** Runs `store` for another role than the first, until it has succeeded once. */
  async admit(role: string, store: () => Promise<void>): Promise<void> {
    if (this.roles.size > 0 && !this.roles.has(role)) {
      this.storing ??= store().finally(() => {
        this.storing = undefined;
      });
      await this.storing;
    }
    this.roles.add(role);
  }

  /** Concludes from a statement's error whether the connections opened so far are still good. */
  judge(error: Error): void {
    if (isDemoted(error)) this.gone = ++this.round;
    else if (isSilence(error)) this.doubted = ++this.round;
  }

  async leadsToPrimary(connection: Routed): Promise<boolean> {
    if (connection.round < this.gone) return false;
    if (connection.round >= this.doubted) return true;
    const asked = this.doubted;
    if (await connection.takesWrites()) connection.round = asked;
    else this.gone = Math.max(this.gone, asked);
    return connection.round >= this.gone;
  }
}
