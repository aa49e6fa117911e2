import { DATABASE_OWNERS } from "@shipping/proto/parts";
import { type KubernetesObject, objectsOf } from "./rendered.js";

/** The migration Job of each part, by the part. */
const jobsOf = (...set: string[]): Record<string, KubernetesObject> =>
  Object.fromEntries(
    objectsOf("production", ...set)
      .filter(({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("shipping-migrate-"))
      .map((job) => [job.spec.template.spec.containers[0].name, job]),
  );
const namesOf = (...set: string[]) => Object.values(jobsOf(...set)).map(({ metadata }) => metadata.name as string);

describe("the Jobs of the migrations", () => {
  test("are one for each part, with the part's image alone", () => {
    const jobs = jobsOf("parts.records.image=registry.example.com/records:1.0.1");
    expect(Object.keys(jobs).sort()).toEqual([...DATABASE_OWNERS].sort());
    for (const [part, { metadata, spec }] of Object.entries(jobs)) {
      expect(metadata.name).toMatch(new RegExp(`^shipping-migrate-${part}-[0-9a-f]{5}$`));
      const images = spec.template.spec.containers.map(({ image }: KubernetesObject) => image);
      const tag = part === "records" ? "1.0.1" : "1.0.0";
      expect(images).toEqual([expect.stringMatching(new RegExp(`/${part}:${tag}$`))]);
    }
  });

  test.each([
    ["parts.records.image=registry.example.com/records:1.0.1", ["records"]],
    ["parts.tracking.existingSecret=tracking-2", ["tracking"]],
    ["image.tag=1.0.1", DATABASE_OWNERS],
    ["databaseCaSecret=postgres-ca", DATABASE_OWNERS],
    ["parts.records.replicas=5", []],
    ["trustedProxies=2", []],
  ])(
    "with %s at the same revision, get another name where their pod changes, since a Job's pod cannot",
    (set, changed) => {
      const before = namesOf();
      const renamed = namesOf(set).filter((name) => !before.includes(name));
      expect(renamed.map((name) => name.split("-")[2]).sort()).toEqual([...changed].sort());
    },
  );
});

describe("a Job that fails", () => {
  const specsOf = (...set: string[]) => Object.values(jobsOf(...set)).map(({ spec }) => spec);

  test("keeps the log of every try: its pods are neither restarted nor deleted, and six tries follow the first", () => {
    for (const { backoffLimit, template } of specsOf()) {
      expect([backoffLimit, template.spec.restartPolicy]).toEqual([6, "Never"]);
    }
  });

  test("does not count pods that go with their node", () => {
    const onPodConditions = [{ type: "DisruptionTarget", status: "True" }];
    for (const { podFailurePolicy } of specsOf())
      expect(podFailurePolicy).toEqual({ rules: [{ action: "Ignore", onPodConditions }] });
  });

  test("is deleted a week after its end, or as the values say, and not before an hour", () => {
    const times = (...set: string[]) => [
      ...new Set(specsOf(...set).map(({ ttlSecondsAfterFinished }) => ttlSecondsAfterFinished)),
    ];
    expect(times()).toEqual([604_800]);
    expect(times("migration.ttlSecondsAfterFinished=7200")).toEqual([7_200]);
    expect(times("migration.ttlSecondsAfterFinished=null")).toEqual([undefined]);
    expect(() => times("migration.ttlSecondsAfterFinished=60")).toThrow("migration/ttlSecondsAfterFinished");
  });
});

describe("an image", () => {
  test.each([
    ["parts.records.image", ""],
    ["parts.records.image", "<no value>"],
    ["operator.image", ""],
    ["image.tag", ""],
    ["image.tag", "<no value>"],
    ["image.prefix", "<no value>"],
    ["dev.postgres.image", ""],
  ])("%s=%s, which an unset variable leaves, is refused", (value, text) => {
    expect(() => objectsOf("production", `${value}=${text}`)).toThrow(`at '/${value.replaceAll(".", "/")}': '${text}'`);
  });
});
