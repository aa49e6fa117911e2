import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { createLedger } from "@shipping/kit/ledger/ledger";
import { createOutbox } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { testBus } from "@shipping/kit/testing/outbox-testbed";
import { rowsIn } from "@shipping/kit/testing/rows";
import { explore } from "@shipping/kit/testing/schedules/explore";
import { scheduledDatabases } from "@shipping/kit/testing/schedules/scheduled-database";
import { fence, newClaim } from "@shipping/kit/testing/writes";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import sql from "sql-template-tag";
import { sandboxCarrier } from "../carriers/sandbox-carrier.js";
import { createLabel } from "../create-label.js";
import type { CarrierDeps } from "../deps.js";
import { createProjectedMarks } from "../neighbours/project-label-event.js";
import { carrierMigrations, labelWriter } from "../start-carrier.js";
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

/** What an answer says: the label's ID, a refusal, or that nobody knows. */
function ended({ outcome }: WriteOutcome): string {
  if (outcome.case !== "snapshot") return String(outcome.case);
  const { id, status } = JSON.parse(Buffer.from(outcome.value.body).toString());
  return `${status} ${id}`;
}
const refusal = (error: unknown) => failureIn(error)?.code ?? "unknown";

test("a booking is settled once, with one label and one charge, whatever the order of calls, commits, requests and workers", async () => {
  await explore(20, async (schedule) => {
    const open = await openScheduled(schedule);
    const { random } = schedule;
    const { network, carrier, activeBookings } = scheduledCarrier(schedule, schedule.choose(2) === 0);
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

    async function label(deps: CarrierDeps, claim: ReturnType<typeof newClaim>): Promise<string> {
      const answer = await createLabel(deps, labelRequest(caller, shipmentId, claim, rateId), patient).then(
        ended,
        refusal,
      );
      answers.push({ key: claim.idempotencyKey, answer });
      return answer;
    }

    async function play() {
      const processes = ["carrier 1", "carrier 2"].map((name) => ({ name, deps: startCarrier() }));
      const claims = ["one key", "another key"].map((key) => newClaim(key));
      const requests = Array.from({ length: 2 + schedule.choose(2) }, (_, number) => {
        const { name, deps } = processes[schedule.choose(2)]!;
        const claim = claims[schedule.choose(3) === 0 ? 1 : 0]!;
        return schedule.run(name, `label ${number} under ${claim.idempotencyKey}`, () => label(deps, claim));
      });
      const workers = processes.map(({ name, deps }) =>
        schedule.run(name, "worker", async () => {
          for (let round = schedule.choose(4); round > 0; round--) {
            await settleOnce(deps, labelWriter(deps));
            await sleep(SETTLE_MS);
          }
        }),
      );
      const chaos = schedule.run("chaos", "fences and kills", async () => {
        for (let pause = schedule.choose(30); pause > 0; pause--) await schedule.step("waits");
        const kind = schedule.choose(4);
        if (kind === 0) schedule.kill("carrier 2");
        if (kind === 1) await fence(open(), caller, claims[0]!).catch(() => {});
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
            const id = answer.slice("created ".length);
            const voided = () =>
              voidLabel(deps, voidRequest(caller, id, newClaim("void")), patient).then(ended, refusal);
            while ((await voided()) === "unknown") await sleep(SETTLE_MS);
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
      const labels = await rowsIn<{ id: string; status: string; trackingNumber: string }>(database.db, "labels");
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
      // Nobody is told of a label under two keys.
      expect(new Set(created.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
      const states = (await rowsIn<{ state: string }>(database.db, "bookings")).map(({ state }) => state);
      expect(states.filter((state) => state !== "over")).toEqual(activeBookings().map(() => "held"));
    }

    return { play, check };
  });
});
