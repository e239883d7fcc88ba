import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { userChecks } from "./user.check.ts";

export const userLifecycle: Lifecycle = {
  noun: "user",
  items: [
    { at: "U#<user> / EM#<address>" },
    { at: "EMAILS / <address>", goes: "with the transaction that hides the user" },
    { at: "U#<user> / TOTP" },
    { at: "RL#<network>#<start> / #", goes: "after five minutes" },
  ],
  checks: userChecks,
};
