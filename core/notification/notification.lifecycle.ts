import { loadedJob } from "../jobs/job.ts";
import { foundByActor } from "../lifecycle/found-by-actor.ts";
import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import {
  emptyRepositoryOfNotifications,
  forgetHiddenNotifications,
  forgetIssue,
  forgetSomeNotificationsOf,
  forgettingKind,
  startForgettingIssue,
} from "./forget.ts";
import { forgettingOfferKind } from "./news.ts";
import { notificationChecks } from "./notification.check.ts";
import { participantPrefix } from "./notification.table.ts";

/** What users were told. */
export const notificationLifecycle: Lifecycle = {
  noun: "notification",
  items: [
    { at: "U#<user>#N / T#<notification>", counter: "notification" },
    { at: "U#<user>#N / R#<repository>" },
    { at: "R#<repository>#N / ISSUE#<number>#<user>" },
    { at: "R#<repository>#N / REPOSITORY#<user>" },
    { at: "NOTIFICATION#<notification> / #" },
    { at: "I#<repository>.<number> / PART#<user>" },
  ],
  ends: {
    repository: {
      notifications: {
        step: (forge, { repositoryId }) => emptyRepositoryOfNotifications(forge, repositoryId),
      },
    },
    user: {
      notifications: { step: (forge, { userId }) => forgetSomeNotificationsOf(forge, userId) },
      participations: foundByActor(participantPrefix),
    },
    issue: { elsewhere: startForgettingIssue },
  },
  moves: {
    notifications: {
      step: (forge, { repositoryId }, inner) => forgetHiddenNotifications(forge, repositoryId, inner),
    },
  },
  jobs: {
    "spread-news": loadedJob(async () => (await import("./spread.ts")).spreadJob),
    "sweep-notifications": loadedJob(async () => (await import("./sweep.ts")).sweepNotifications),
    [forgettingKind]: forgetIssue,
    [forgettingOfferKind]: loadedJob(async () => (await import("./forget-offer.ts")).forgetOffer),
  },
  checks: notificationChecks,
};
