import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import type { Call } from "@shipping/kit/rpc/server";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { testBus } from "@shipping/kit/testing/outbox-testbed";
import { rowsIn } from "@shipping/kit/testing/rows";
import { explore } from "@shipping/kit/testing/schedules/explore";
import { scheduledDatabases } from "@shipping/kit/testing/schedules/scheduled-database";
import { fence, newClaim } from "@shipping/kit/testing/writes";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import sql from "sql-template-tag";
import { carrierMigrations } from "../account-data.js";
import { sandboxCarrier } from "../carriers/sandbox-carrier.js";
import { createLabel } from "../create-label.js";
import type { CarrierDeps } from "../deps.js";
import { createProjectedMarks } from "../neighbours/project-label-event.js";
import { labelWriter } from "../start-carrier.js";
import { labelRequest, patient, voidRequest } from "../testing/carrier-under-test.js";
import { neighbours } from "../testing/neighbours.js";
import { scheduledCarrier } from "../testing/scheduled-carrier.js";
import { voidLabel } from "../void-label.js";
import { settleOnce } from "./settle-bookings.js";

let database: TestDatabase;
let openScheduled: Awaited<ReturnType<typeof scheduledDatabases>>;
beforeAll(async () => {
  database = await testDatabase({ directory: carrierMigrations });
  openScheduled = await scheduledDatabases(database, ["labels", "label_files", "ledger", "outbox", "bookings"]);
});
afterAll(() => database.drop());

const SETTLE_MS = 10_000;
// A lease of a request has 2,400 ms, one of the worker 8,000, and a call is in doubt for 12,400.
const DELAYS_MS = [1, 1, 100, 2_500, 4_000, 13_000];
const FREEZES_MS = [1_000, 3_000, 9_000, 13_000];

interface StoredLabel {
  id: string;
  status: string;
  trackingNumber: string;
  voidedAt: Date | null;
}

/** Returns the content of an answer: the label's ID, a refusal, or that the outcome is unknown. */
function ended({ outcome }: WriteOutcome): string {
  if (outcome.case !== "snapshot") return String(outcome.case);
  const { id, status } = JSON.parse(Buffer.from(outcome.value.body).toString());
  return `${status} ${id}`;
}
const refusal = (error: unknown) => failureIn(error)?.code ?? "unknown";

test("a booking is settled once, with one label and one charge, whatever the order of calls, commits, requests and workers", async () => {
  await explore(50, async (schedule) => {
    const open = await openScheduled(schedule);
    const { random } = schedule;
    const { network, carrier, activeBookings, doubleCalls } = scheduledCarrier(schedule, schedule.choose(2) === 0);
    const { records, tracking, newShipment } = neighbours();
    const caller: Caller = { accountId: newId("acc", random), environment: "sandbox" };
    const { id: shipmentId } = newShipment(caller);
    const rateId = `rate_scripted_${shipmentId}`;
    const answers: { key: string; answer: string }[] = [];

    function startCarrier(): CarrierDeps {
      const db = open();
      const log = silentLog();
      const bus = Object.assign(testBus(), { down: true });
      return {
        ...{ db, log, records, tracking, random, clockOffsetMs: 0 },
        ledger: createLedger(db),
        outbox: createOutbox({ db, bus, log, filterMissing: async () => [] }),
        projectedMarks: createProjectedMarks(db, log),
        carriers: { sandbox: sandboxCarrier(random), live: undefined, trial: { accountId: caller.accountId, carrier } },
        now: () => new Date(Date.UTC(2026, 10, 26) + schedule.nowMs()),
      };
    }

    /** Makes a call with so little time left that a request that waits for a booking polls only a few times. */
    function hurried(): Call {
      const overMs = schedule.nowMs() + 2_600;
      return { ...patient, timeLeftMs: () => overMs - schedule.nowMs() };
    }

    async function label(deps: CarrierDeps, claim: ReturnType<typeof newClaim>): Promise<string> {
      const answer = await createLabel(deps, labelRequest(caller, shipmentId, claim, rateId), hurried()).then(
        ended,
        refusal,
      );
      answers.push({ key: claim.idempotencyKey, answer });
      return answer;
    }

    const voidedBy = (deps: CarrierDeps, answer: string, claim: ReturnType<typeof newClaim>) =>
      voidLabel(deps, voidRequest(caller, answer.slice("created ".length), claim), hurried()).then(ended, refusal);

    async function play() {
      const processes = ["carrier 1", "carrier 2"].map((name) => ({ name, deps: startCarrier() }));
      const one = () => processes[schedule.choose(2)]!;
      const soon = () => sleep(DELAYS_MS[schedule.choose(DELAYS_MS.length)]);
      const claims = ["one key", "another key"].map((key) => newClaim(key));
      const voids = ["one void", "another void"].map((key) => newClaim(key));
      const requests = Array.from({ length: 2 + schedule.choose(2) }, (_, number) => {
        const { name, deps } = one();
        const claim = claims[schedule.choose(4) === 0 ? 1 : 0]!;
        return schedule.run(name, `label ${number} under ${claim.idempotencyKey}`, async () => {
          if (number > 0) await soon();
          const answer = await label(deps, claim);
          if (!answer.startsWith("created ") || schedule.choose(3) === 0) return;
          await soon();
          await voidedBy(deps, answer, voids[schedule.choose(2)]!);
        });
      });
      const workers = processes.slice(schedule.choose(2)).map(({ name, deps }) =>
        schedule.run(name, "worker", async () => {
          await soon();
          await settleOnce(deps, labelWriter(deps));
        }),
      );
      const chaos = schedule.run("chaos", "fences, freezes and kills", async () => {
        await soon();
        for (let pause = schedule.choose(20); pause > 0; pause--) await schedule.step("waits");
        const kind = schedule.choose(6);
        if (kind === 0) schedule.kill("carrier 2");
        if (kind === 1) await fence(open(), caller, [...claims, ...voids][schedule.choose(4)]!).catch(() => {});
        if (kind > 2) schedule.freeze(one().name, FREEZES_MS[schedule.choose(FREEZES_MS.length)]!);
      });
      await Promise.all([...requests, ...workers, chaos]);
      network.isGood = true;
      schedule.calmDown();
      await schedule.run("carrier 3", "repeats and settles", async () => {
        const deps = startCarrier();
        const isVoided = schedule.choose(2) === 0;
        // The gateway replaces a claim that was fenced off.
        let claim = claims[0]!;
        for (let answer = "unknown"; ["unknown", "stale", "service_unavailable"].includes(answer); ) {
          answer = await label(deps, claim);
          await sleep(SETTLE_MS);
          await settleOnce(deps, labelWriter(deps));
          if (answer === "stale") claim = newClaim(claim.idempotencyKey);
          if (isVoided && answer.startsWith("created ")) {
            const again = newClaim("last void");
            while ((await voidedBy(deps, answer, again)) === "unknown") await sleep(SETTLE_MS);
          }
        }
        const open = sql`SELECT FROM bookings WHERE due_at IS NOT NULL`;
        while ((await deps.db.run(open)).length > 0) {
          await sleep(SETTLE_MS);
          await settleOnce(deps, labelWriter(deps));
        }
      });
    }

    async function check() {
      const labels = await rowsIn<StoredLabel>(database.db, "labels");
      const events = await rowsIn<{ type: string }>(database.db, "outbox");
      const isType = (type: string) => events.filter((event) => event.type === type).length;
      expect(labels.length).toBeLessThanOrEqual(1);
      expect(isType("label.created")).toBe(labels.length);
      expect(isType("label.voided")).toBe(labels.filter(({ status }) => status === "voided").length);
      expect(activeBookings().map(({ trackingNumber }) => trackingNumber)).toEqual(
        labels.filter(({ status }) => status === "created").map(({ trackingNumber }) => trackingNumber),
      );
      const created = answers.filter(({ answer }) => answer.startsWith("created "));
      for (const { answer } of created) expect(answer).toBe(`created ${labels[0]?.id}`);
      // A label is never announced under two keys.
      expect(new Set(created.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
      expect(doubleCalls).toEqual([]);
      const bookings = await rowsIn<{ state: string; createdAt: Date }>(database.db, "bookings");
      // A voided shipment is never booked.
      const voidedAt = labels[0]?.voidedAt ?? Number.POSITIVE_INFINITY;
      expect(bookings.filter(({ createdAt }) => createdAt > voidedAt)).toEqual([]);
      const states = bookings.map(({ state }) => state);
      expect(states.filter((state) => state !== "over")).toEqual(activeBookings().map(() => "held"));
    }

    return { play, check };
  });
});
