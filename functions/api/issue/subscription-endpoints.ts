import { findKnownUsers } from "#core/access/listed-repositories";
import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { findSubscription, listIssueSubscribers, subscribeToIssue } from "#core/issue/subscriptions";
import { apiLinkTo } from "../../http/answer/links.ts";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentUsers } from "../user/lists.ts";
import { User } from "../user/schema.ts";
import { WatchInfo } from "../watch/schema.ts";
import { readsIssues, readsIssuesSignedIn } from "./needs.ts";

const issueSubscriptions = endpoint({
  id: "issueSubscriptions",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/subscriptions",
  summary: "List the users who chose to hear of an issue",
  needs: readsIssues,
  status: 200,
  returns: { list: User },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, access, params, page } = request;
    const ids = await listIssueSubscribers(forge, access, params.index);
    return presentUsers(forge, viewOf(request), await findKnownUsers(forge, actor, ids), page);
  },
});

const issueCheckSubscription = endpoint({
  id: "issueCheckSubscription",
  tag: "issue",
  method: "get",
  path: "/repos/{owner}/{repo}/issues/{index}/subscriptions/check",
  summary:
    "Check whether the caller hears of an issue: as they chose, else if they watch the repository or take part",
  needs: readsIssuesSignedIn,
  status: 200,
  returns: { json: WatchInfo },
  errors: [401, 404],
  handle: async ({ forge, access, actor, params }) => {
    const { index } = params;
    const { issue, isSubscribed } = await findSubscription(forge, access, index, actor.user.id);
    const repositoryPath = ["repos", access.owner.name, access.repository.name];
    return {
      subscribed: isSubscribed,
      ignored: !isSubscribed,
      reason: null,
      created_at: timestamp(issue.createdAt),
      url: apiLinkTo(forge.config, ...repositoryPath, "issues", index, "subscriptions"),
      repository_url: apiLinkTo(forge.config, ...repositoryPath),
    };
  },
});

const choosing = {
  tag: "issue",
  path: "/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}",
  description: "200 when it was so already. Site administrators may do it for others.",
  needs: readsIssuesSignedIn,
  status: 201,
  otherStatus: 200,
  errors: [401, 403, 404],
} as const;

async function choose(
  request: {
    forge: Forge;
    access: RepositoryAccess;
    actor: Actor;
    params: { index: number; user: string };
  },
  isSubscribed: boolean,
): Promise<Reply<undefined>> {
  const { forge, access, actor, params } = request;
  const choice = { isSubscribed, actor };
  const hasChanged = await subscribeToIssue(forge, access, params.index, params.user, choice);
  return new Reply(undefined, { status: hasChanged ? 201 : 200 });
}

const issueAddSubscription = endpoint({
  ...choosing,
  id: "issueAddSubscription",
  method: "put",
  summary: "Let a user hear of an issue",
  handle: (request) => choose(request, true),
});

const issueDeleteSubscription = endpoint({
  ...choosing,
  id: "issueDeleteSubscription",
  method: "delete",
  summary: "Let a user hear of an issue no more",
  handle: (request) => choose(request, false),
});

export const issueSubscriptionEndpoints = [
  issueSubscriptions,
  issueCheckSubscription,
  issueAddSubscription,
  issueDeleteSubscription,
];
