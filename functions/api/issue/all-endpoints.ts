import type { Endpoint } from "../../http/endpoint.ts";
import { attachmentEndpoints } from "../attachment/endpoints.ts";
import { commentEndpoints } from "../comment/endpoints.ts";
import { dependencyEndpoints } from "../dependency/endpoints.ts";
import { reactionEndpoints } from "../reaction/endpoints.ts";
import { stopwatchEndpoints } from "../stopwatch/endpoints.ts";
import { trackedTimeEndpoints } from "../tracked-time/endpoints.ts";
import { issueAssigneeEndpoints } from "./assignee-endpoints.ts";
import { issueDeadlineEndpoints } from "./deadline-endpoints.ts";
import { issueEndpoints } from "./endpoints.ts";
import { issueLabelEndpoints } from "./label-endpoints.ts";
import { issueLockEndpoints } from "./lock-endpoints.ts";
import { issuePinEndpoints } from "./pin-endpoints.ts";
import { issueSubscriptionEndpoints } from "./subscription-endpoints.ts";

/** Every operation on issues and what hangs on them: they are loaded together. */
export const allIssueEndpoints: readonly Endpoint[] = [
  ...issuePinEndpoints,
  ...issueEndpoints,
  ...issueLabelEndpoints,
  ...issueAssigneeEndpoints,
  ...issueDeadlineEndpoints,
  ...issueLockEndpoints,
  ...issueSubscriptionEndpoints,
  ...dependencyEndpoints,
  ...reactionEndpoints,
  ...commentEndpoints,
  ...attachmentEndpoints,
  ...trackedTimeEndpoints,
  ...stopwatchEndpoints,
];
