import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { removeNamedRepositories, removingRepositoriesKind } from "./remove-repositories.ts";

/** Its item is an owner's, its members are its teams'. */
export const organizationLifecycle: Lifecycle = {
  noun: "organization",
  items: [],
  jobs: { [removingRepositoriesKind]: removeNamedRepositories },
};
