import type { Lifecycle } from "../lifecycle/lifecycle.ts";
import { activityChecks } from "./activity.check.ts";
import { emptyRepositoryOfActivities, forgetSomeActivitiesOf } from "./forget.ts";

/** What users do, for feeds and heat maps. */
export const activityLifecycle: Lifecycle = {
  noun: "activity",
  items: [
    { at: "R#<repository>#A / T#<time>#<event>#<place>", counter: "activity" },
    { at: "R#<repository>#A / C#<time>#<event>#<place>" },
    { at: "R#<repository>#A / LAST" },
    { at: "U#<owner>#A / T#<time>#<event>#<place>", counter: "activity" },
    { at: "U#<owner>#A / H#<hour>#<privacy>" },
  ],
  ends: {
    repository: {
      activities: { step: (forge, { repositoryId }) => emptyRepositoryOfActivities(forge, repositoryId) },
    },
    user: { activities: { step: (forge, { userId }) => forgetSomeActivitiesOf(forge, userId) } },
    organization: {
      activities: { step: (forge, { organizationId }) => forgetSomeActivitiesOf(forge, organizationId) },
    },
  },
  checks: activityChecks,
};
