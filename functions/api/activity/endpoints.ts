import {
  type FeedQuery,
  readFeedOfOrganization,
  readFeedOfRepository,
  readFeedOfTeam,
  readFeedOfUser,
} from "#core/activity/feed";
import { readHeatMap } from "#core/activity/heat-map";
import { notFound } from "#core/errors";
import { z } from "#zod";
import type { Page } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, text } from "../../http/query.ts";
import { Activity, UserHeatmapData } from "./schema.ts";
import { showFeed } from "./show.ts";

const date = text.openapi({
  format: "date",
  description: "Only what happened on this day, in UTC. Anything else than a date is ignored.",
});
const feed = { cost: "heavy", query: { date }, status: 200, returns: { list: Activity } } as const;

/** The page, and the beginning of the day if the date is one. */
function asked(page: Page, given: string | undefined): FeedQuery {
  const dayMs = /^\d{4}-\d\d-\d\d$/.test(given ?? "") ? Date.parse(`${given}T00:00:00Z`) : Number.NaN;
  return { page, dayMs: Number.isNaN(dayMs) ? undefined : dayMs };
}

const userListActivityFeeds = endpoint({
  ...feed,
  id: "userListActivityFeeds",
  tag: "user",
  method: "get",
  path: "/users/{username}/activities/feeds",
  summary: "List what a user does and what happens in what they watch, the newest first",
  needs: { scope: ["user"], user: "owner" },
  query: { date, "only-performed-by": flag },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, user, page, query } = request;
    const wanted = asked(page, query.date);
    const found =
      user.kind === "organization"
        ? await readFeedOfOrganization(forge, actor, user, wanted)
        : await readFeedOfUser(forge, actor, user, {
            ...wanted,
            isOwnOnly: query["only-performed-by"] === true,
          });
    return showFeed(forge, viewOf(request), user.id, found);
  },
});

const repoListActivityFeeds = endpoint({
  ...feed,
  id: "repoListActivityFeeds",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/activities/feeds",
  summary: "List what happens in a repository, the newest first",
  needs: { scope: ["repository"], repository: { mode: "read" } },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, access, page, query } = request;
    const found = await readFeedOfRepository(forge, actor, access, asked(page, query.date));
    return showFeed(forge, viewOf(request), access.owner.id, found);
  },
});

const orgListActivityFeeds = endpoint({
  ...feed,
  id: "orgListActivityFeeds",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/activities/feeds",
  summary: "List what happens in an organization's repositories, the newest first",
  needs: { scope: ["organization"], organization: "visible" },
  errors: [404],
  handle: async (request) => {
    const { forge, actor, page, query } = request;
    const { organization } = request.organization;
    const found = await readFeedOfOrganization(forge, actor, organization, asked(page, query.date));
    return showFeed(forge, viewOf(request), organization.id, found);
  },
});

const orgListTeamActivityFeeds = endpoint({
  ...feed,
  id: "orgListTeamActivityFeeds",
  tag: "organization",
  method: "get",
  path: "/teams/{id}/activities/feeds",
  summary: "List what happens in a team's repositories, the newest first",
  needs: { scope: ["organization"], team: "member" },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, team, page, query } = request;
    const found = await readFeedOfTeam(forge, actor, team, asked(page, query.date));
    return showFeed(forge, viewOf(request), team.organization.id, found);
  },
});

const userGetHeatmapData = endpoint({
  id: "userGetHeatmapData",
  tag: "user",
  method: "get",
  path: "/users/{username}/heatmap",
  cost: "heavy",
  summary:
    "Count what a user did, or what happened in an organization, in each quarter of an hour of 371 days",
  needs: { scope: ["user"], user: "owner" },
  status: 200,
  returns: { json: z.array(UserHeatmapData) },
  errors: [404],
  handle: async ({ forge, actor, user }) => {
    if (!forge.config.enableUserHeatmap) throw notFound("heat maps are switched off (ENABLE_USER_HEATMAP)");
    const points = await readHeatMap(forge, actor, user);
    return points.map(({ at, n }) => ({ timestamp: at, contributions: n }));
  },
});

export const activityEndpoints = [
  userListActivityFeeds,
  repoListActivityFeeds,
  orgListActivityFeeds,
  orgListTeamActivityFeeds,
  userGetHeatmapData,
];
