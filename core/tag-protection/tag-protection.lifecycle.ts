import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { tagProtectionChecks } from "./tag-protection.check.ts";

export const tagProtectionLifecycle: Lifecycle = {
  noun: "tag-protection",
  items: [
    { at: "R#<repository> / TP#<rule>", counter: "tag-protection" },
    { at: "R#<repository> / TPN#<hash>" },
  ],
  checks: tagProtectionChecks,
};
