import { loadedJob } from "../jobs/job.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { confirmationKind } from "./start-confirmation.ts";
import { mailNewsKind } from "./start-mails.ts";

/** Mails, which leave nothing behind but what keeps them from going twice or too often. */
export const mailLifecycle: Lifecycle = {
  noun: "mail",
  items: [
    { at: "MAILED#<thing> / <user>", goes: "after two days" },
    { at: "MAILS#<whose>#<hour> / #", goes: "after two hours; what somebody caused, after 26" },
    { at: "MAILSERVER / OUTAGE", goes: "when the server is back, after two days at the latest" },
  ],
  jobs: {
    [mailNewsKind]: loadedJob(async () => (await import("./mail-news.ts")).mailNewsJob),
    [confirmationKind]: loadedJob(async () => (await import("./mail-confirmation.ts")).mailConfirmationJob),
  },
};
