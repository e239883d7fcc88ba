import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const signingKeyLifecycle: Lifecycle = {
  noun: "signing-key",
  items: [{ at: "SYS / SIGNING", goes: "never: it is the service's" }],
};
