import type { Lifecycle } from "../lifecycle/lifecycle.ts";

export const tagProtectionLifecycle: Lifecycle = {
  noun: "tag-protection",
  items: [
    { at: "R#<repository> / TP#<rule>", counter: "tag-protection" },
    { at: "R#<repository> / TPN#<hash>" },
  ],
};
