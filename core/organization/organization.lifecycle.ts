import type { Lifecycle } from "../lifecycle/lifecycle.ts";

/** Its item is an owner's, its members are its teams'. */
export const organizationLifecycle: Lifecycle = { noun: "organization", items: [] };
