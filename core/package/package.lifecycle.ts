import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { endForeignLinks, endSomeLinks, endSomePackages } from "./ends.ts";
import { packageChecks } from "./package.check.ts";
import { packageLinkPrefix } from "./package.table.ts";
import { removeVersions, removingPackageKind } from "./remove-package.ts";

export const packageLifecycle: Lifecycle = {
  noun: "package",
  items: [
    { at: "O#<owner>#PKG / P#<type>#<name>", counter: "package" },
    { at: "O#<owner>#PKG / N#<version>" },
    { at: "O#<owner>#PKG / B#<sha256>" },
    { at: "O#<owner>#PKG / X#<package>" },
    { at: "PKG#<package> / V#<version>" },
    { at: "PKG#<package> / T#<version>" },
    { at: "PKG#<package> / F#<version>#<file>", counter: "package-file" },
    { at: "R#<repository> / PKG#<package>" },
    { at: "SEQ#package#<owner> / #" },
  ],
  objects: ["packages/<owner>/<uuid>"],
  ends: {
    repository: {
      links: {
        step: (forge, { repositoryId }) => endSomeLinks(forge, repositoryId),
        alone: [packageLinkPrefix],
      },
    },
    user: { packages: { stage: "owned", step: (forge, { userId }) => endSomePackages(forge, userId) } },
    organization: {
      packages: {
        stage: "owned",
        step: (forge, { organizationId }) => endSomePackages(forge, organizationId),
      },
    },
  },
  moves: { links: { step: (forge, { repositoryId }) => endForeignLinks(forge, repositoryId) } },
  jobs: { [removingPackageKind]: removeVersions },
  checks: packageChecks,
};
