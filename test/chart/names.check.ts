import { type KubernetesObject, objectsIn, release } from "./rendered.js";

// A StatefulSet's revision takes 11 of the 63 characters for a hash. A Job's name is a label of its pods.
const MAX_CHARACTERS: Record<string, number> = { StatefulSet: 52 };
const LABEL = 63;

// Helm takes names of up to 53 characters. In the last one, a hyphen is where the name is cut.
const names = [
  "r".repeat(53),
  `shipping-${"r".repeat(44)}`,
  ...[38, 39].map((length) => `${"shipping-r".padEnd(length, "r")}-${"r".repeat(52 - length)}`),
];

// These values together render every kind of object.
describe.each(["production", "guarded", "replicated"])("with the values of %s.yaml", (name) => {
  test.each(names)("no object of the release %s has a name that Kubernetes refuses", (releaseName) => {
    const objects = objectsIn(release(releaseName, name));
    const long = objects.flatMap(({ kind, metadata }: KubernetesObject) => {
      expect(metadata.name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
      expect(metadata.name).not.toContain("--");
      const left = (MAX_CHARACTERS[kind] ?? LABEL) - metadata.name.length;
      return left < 0 ? [`${kind} ${metadata.name}: ${-left} too many`] : [];
    });
    expect(long).toEqual([]);
    const named = objects.map(({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`);
    expect(new Set(named).size).toBe(named.length);
  });

  // A changed name would create other objects at an upgrade.
  test("every object of a release keeps 40 characters of its name", () => {
    const releaseName = "shipping-".padEnd(40, "r");
    const names = objectsIn(release(releaseName, name)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.filter((one) => !one.includes(` ${releaseName}`))).toEqual([]);
  });
});
