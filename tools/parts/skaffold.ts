import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dependenciesOf } from "../image-files.js";
import type { PartDeclaration } from "./declaration.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Image {
  /** The part, or `cli`, the operator's commands. */
  name: string;
  workspace: string;
  /** The value of the chart with this image. */
  value: string;
}

/** The configuration of Skaffold: `skaffold.yaml`. It has a module for each image, and one for the whole platform. */
export function skaffoldConfig(parts: PartDeclaration[]): string {
  const images: Image[] = [
    ...parts.map(({ name, folder }) => ({ name, workspace: folder, value: `parts.${name}.image` })),
    { name: "cli", workspace: "cli", value: "operator.image" },
  ];
  return `# \`npm run parts\` writes this file from the part.yaml of each part.
# \`skaffold dev\` replaces sources in running pods. \`skaffold run\` and \`skaffold verify\` deploy and test the images of a release. With
# \`-m webhooks -p alone\`, each builds and deploys that part alone, into the release that runs; the other parts keep their images.
${[platform(images), ...images.map(moduleOf)].join("---\n")}`;
}

const KIND = "apiVersion: skaffold/v4beta13\nkind: Config\n";

const template = ({ name }: Image) => `"{{.IMAGE_FULLY_QUALIFIED_shipping_${name}}}"`;

function platform(images: Image[]): string {
  return `${KIND}metadata: { name: shipping }
requires:
  - configs: [${images.map(({ name }) => name).join(", ")}]
manifests:
  helm:
    # \`helm template\` does not ask the cluster, and a helm built from source assumes an old Kubernetes.
    flags: { template: [--kube-version=1.34.0] }
    releases:
      - name: shipping
        chartPath: deploy/chart
        valuesFiles: [deploy/chart/ci/trial.yaml]
        wait: true
        setValueTemplates:
${images.map((image) => `          ${image.value}: ${template(image)}\n`).join("")}# With helm, so that a release can be rolled back.
deploy:
  helm: {}
# The smoke test against the deployed gateway, in a pod of the image that was built.
verify:
  - name: smoke-test
    timeout: 180
    container:
      name: smoke-test
      image: shipping-cli
      command: [node, /scripts/smoke-test.mjs]
    executionMode:
      kubernetesCluster: { jobManifestPath: deploy/smoke-test-job.yaml }
profiles:
  - name: dev
    activation: [{ command: dev }]
    patches:
      - { op: add, path: /manifests/helm/releases/name=shipping/setValues, value: { dev.hotReload: true } }
  # The same as without a profile: a trial with its own database, bus and receiver.
  - name: local
  # The operator's own database, bus and host: replace the values in that file. Without \`verify\`, which creates an account.
  - name: production
    patches:
      - op: replace
        path: /manifests/helm/releases/name=shipping/valuesFiles
        value: [deploy/chart/ci/production.yaml]
      - { op: remove, path: /verify }
`;
}

function moduleOf(image: Image): string {
  const { name, workspace, value } = image;
  return `${KIND}metadata: { name: ${name} }
build:
  # Works without BuildKit, and on a node that reaches no registry.
  local: { useBuildkit: false, tryImportMissing: false }
  artifacts:
    - image: shipping-${name}
      docker: { dockerfile: deploy/Dockerfile, buildArgs: { WORKSPACE: ${workspace} } }
profiles:
  # Hot reload. Changed sources are copied to the pods; a pod restarts only if it has loaded the file.
  - name: dev
    activation: [{ command: dev }]
    patches:
      - { op: add, path: /build/artifacts/image=shipping-${name}/docker/target, value: dev }
      - op: add
        path: /build/artifacts/image=shipping-${name}/sync
        value:
          manual:
${syncedSources(workspace)}  # An upgrade of the running release that changes this image alone.
  - name: alone
    deploy:
      helm:
        flags: { upgrade: [--reset-then-reuse-values] }
        releases:
          - name: shipping
            chartPath: deploy/chart
            wait: true
            setValueTemplates: { ${value}: ${template(image)} }
            # For the sources that \`skaffold dev\` writes.
            setValues: { ${value.replace(/image$/, "securityContext.readOnlyRootFilesystem")}: false }
`;
}

/** Sources of the workspace and of those on which it depends, as patterns of Skaffold. */
function syncedSources(workspace: string): string {
  const patterns = dependenciesOf(workspace).flatMap((folder) => [
    ...["src", "assets", "worker"]
      .filter((below) => existsSync(join(root, folder, below)))
      .map((below) => `${folder}/${below}/**/*`),
    ...(folder === "proto" ? ["proto/*.ts", "proto/gen/**/*"] : []),
  ]);
  return patterns.map((src) => `            - { src: "${src}", dest: /app }\n`).join("");
}
