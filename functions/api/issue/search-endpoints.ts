import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import type { CallerRole } from "#core/issue/caller-roles";
import { searchIssues } from "#core/issue/listing/search";
import type { z } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, integer, text, texts, time } from "../../http/query.ts";
import { orderWord, stateWord, typeWord } from "./query-words.ts";
import { Issue } from "./schema.ts";
import { showPlaced } from "./show.ts";

const searchQuery = {
  state: stateWord,
  type: typeWord,
  q: text,
  since: time,
  before: time,
  created: flag.openapi({ default: false, description: "only issues that the caller created" }),
  assigned: flag.openapi({ default: false, description: "only issues assigned to the caller" }),
  mentioned: flag.openapi({ default: false, description: "only issues that mention the caller" }),
  review_requested: flag.openapi({
    default: false,
    description: "only pulls whose review the caller is asked for",
  }),
  reviewed: flag.openapi({ default: false, description: "only pulls that the caller reviewed" }),
  created_by: text,
  labels: texts.openapi({ description: "names with commas between, of which one must match" }),
  milestones: texts.openapi({ description: "ids or titles with commas between" }),
  owner: text.openapi({ description: "only repositories of this user or organization" }),
  team: text.openapi({ description: "with owner: only repositories of this team" }),
  priority_repo_id: integer.openapi({ description: "accepted and ignored" }),
  sort: orderWord,
};

/** A search, with absent members for absent query values. */
function searchFrom(asked: z.infer<z.ZodObject<typeof searchQuery>>, actor: Actor | undefined) {
  const { state, type, q, since, before, created_by, labels, milestones, owner, team, sort } = asked;
  const flags: readonly (readonly [CallerRole, boolean | undefined])[] = [
    ["created", asked.created],
    ["assigned", asked.assigned],
    ["mentioned", asked.mentioned],
    ["reviewRequested", asked.review_requested],
    ["reviewed", asked.reviewed],
  ];
  return {
    state,
    order: sort,
    roles: flags.flatMap(([role, isAsked]) => (isAsked === true ? role : [])),
    ...defined({ kind: type, words: q, since, before }),
    ...(created_by === undefined ? {} : { createdBy: { name: created_by, actor } }),
    ...defined({ labels, milestones, owner, team }),
  };
}

const issueSearchIssues = endpoint({
  id: "issueSearchIssues",
  tag: "issue",
  method: "get",
  path: "/repos/issues/search",
  summary: "Search for issues and pulls in all repositories",
  description:
    "Flags about the caller are ignored for anonymous callers. Of more than 200 repositories only the last updated are searched, and X-Total-Count-Exact is false; also when the search took too long.",
  cost: "heavy",
  needs: { scope: ["issue"] },
  query: searchQuery,
  status: 200,
  returns: { list: Issue, hasTexts: true },
  errors: [400, 404, 422],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const asked = searchFrom(request.query, actor);
    const { items, ...rest } = await searchIssues(forge, actor, { ...asked, ...page });
    const placed = items.map(({ issue, access }) => ({ issue, place: access }));
    return { items: await showPlaced(forge, viewOf(request), placed), ...rest };
  },
});

export const issueSearchEndpoints = [issueSearchIssues];
