import { createTeam } from "#core/team/create";
import { editTeam } from "#core/team/edit";
import { listOwnTeams, listTeams, searchTeams } from "#core/team/list";
import { removeTeam } from "#core/team/remove";
import { pageOf } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, text } from "../../http/query.ts";
import { presentTeam, teamChangesFrom } from "./present.ts";
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from "./schema.ts";

const orgListTeams = endpoint({
  id: "orgListTeams",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/teams",
  summary: "List an organization's teams",
  needs: { scope: ["organization"], organization: "member" },
  status: 200,
  returns: { list: Team },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, organization, page } = request;
    const { items, total } = pageOf(await listTeams(forge, organization.organization.id), page);
    return { items: items.map((team) => presentTeam(viewOf(request), team)), total };
  },
});

const orgCreateTeam = endpoint({
  id: "orgCreateTeam",
  tag: "organization",
  method: "post",
  path: "/orgs/{org}/teams",
  summary: "Create a team",
  needs: { scope: ["organization"], organization: "owner" },
  body: CreateTeamOption,
  status: 201,
  returns: { json: Team },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, organization, body } = request;
    const given = { ...teamChangesFrom(body), name: body.name };
    const team = await createTeam(forge, organization.organization.id, given);
    return presentTeam(viewOf(request), team, organization.organization);
  },
});

const teamSearch = endpoint({
  id: "teamSearch",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}/teams/search",
  summary: "Search for teams: owners among all, other members among theirs",
  cost: "heavy",
  needs: { scope: ["organization"], organization: "member" },
  query: {
    q: text.openapi({ description: "a part of the name" }),
    include_desc: flag.openapi({ description: "look at descriptions, too: true unless said otherwise" }),
  },
  status: 200,
  returns: { search: TeamSearchResults },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, organization, query, page } = request;
    const found = await searchTeams(forge, organization, query.q ?? "", query.include_desc !== false);
    const { items, total } = pageOf(found, page);
    return { items: items.map((team) => presentTeam(viewOf(request), team)), total };
  },
});

const orgGetTeam = endpoint({
  id: "orgGetTeam",
  tag: "organization",
  method: "get",
  path: "/teams/{id}",
  summary: "Get a team",
  needs: { scope: ["organization"], team: "member" },
  status: 200,
  returns: { json: Team },
  errors: [401, 403, 404],
  handle: async (request) => presentTeam(viewOf(request), request.team.team, request.team.organization),
});

const orgEditTeam = endpoint({
  id: "orgEditTeam",
  tag: "organization",
  method: "patch",
  path: "/teams/{id}",
  summary: "Edit a team; absent fields stay as they are",
  needs: { scope: ["organization"], team: "owner" },
  body: EditTeamOption,
  status: 200,
  returns: { json: Team },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, team, body } = request;
    const edited = await editTeam(forge, team.team, teamChangesFrom(body));
    return presentTeam(viewOf(request), edited, team.organization);
  },
});

const orgDeleteTeam = endpoint({
  id: "orgDeleteTeam",
  tag: "organization",
  method: "delete",
  path: "/teams/{id}",
  summary: "Delete a team; the rights that it gave are gone at once",
  needs: { scope: ["organization"], team: "owner" },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, team }) => {
    await removeTeam(forge, team.team);
    return undefined;
  },
});

const userListTeams = endpoint({
  id: "userListTeams",
  tag: "user",
  method: "get",
  path: "/user/teams",
  summary: "List the teams that the caller is in",
  needs: { scope: ["user"], login: true },
  status: 200,
  returns: { list: Team },
  errors: [401, 403],
  handle: async (request) => {
    const { items, total } = pageOf(await listOwnTeams(request.forge, request.actor), request.page);
    const view = viewOf(request);
    return { items: items.map(({ team, organization }) => presentTeam(view, team, organization)), total };
  },
});

export const teamEndpoints = [
  orgListTeams,
  orgCreateTeam,
  teamSearch,
  orgGetTeam,
  orgEditTeam,
  orgDeleteTeam,
  userListTeams,
];
