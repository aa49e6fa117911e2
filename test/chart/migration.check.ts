import { type KubernetesObject, objectsOf } from "./rendered.js";

const jobOf = (...set: string[]): KubernetesObject =>
  objectsOf("production", ...set).find(
    ({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("shipping-migrate-"),
  );
const nameOf = (...set: string[]): string => jobOf(...set).metadata.name;

describe("the job of the migrations", () => {
  test("has the revision in its name, so that helm makes a new one with each", () => {
    expect(nameOf()).toMatch(/^shipping-migrate-1-[0-9a-f]{8}$/);
  });

  test.each([
    "image.tag=1.0.1",
    "parts.records.image=registry.example.com/records:1.0.1",
    "parts.tracking.existingSecret=tracking-2",
    "databaseCaSecret=postgres-ca",
  ])("has another name with %s at the same revision: what renders the chart cannot change a job's pod", (value) => {
    expect(nameOf(value)).not.toBe(nameOf());
  });

  test("is the same where its pod is", () => {
    expect(jobOf("parts.records.replicas=5", "trustedProxies=2")).toEqual(jobOf());
  });
});
