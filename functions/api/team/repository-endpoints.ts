import { teamIncludes } from "#core/access/rights";
import { notFound } from "#core/errors";
import { repositoryDetailsOf } from "#core/repository/details";
import { listRepositoriesOfTeam } from "#core/repository/listing/list";
import {
  addTeamRepository,
  addTeamToRepository,
  getTeamOfRepository,
  listTeamsOfRepository,
  removeTeamFromRepository,
  removeTeamRepository,
} from "#core/team/of-repository";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentListing, presentRepository } from "../repository/present.ts";
import { Repository } from "../repository/schema.ts";
import { presentTeam } from "./present.ts";
import { Team } from "./schema.ts";

const orgListTeamRepos = endpoint({
  id: "orgListTeamRepos",
  tag: "organization",
  method: "get",
  path: "/teams/{id}/repos",
  summary: "List a team's repositories",
  needs: { scope: ["organization"], team: "member" },
  status: 200,
  returns: { list: Repository },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, team, page } = request;
    return presentListing(viewOf(request), await listRepositoriesOfTeam(forge, actor, team, page));
  },
});

const orgListTeamRepo = endpoint({
  id: "orgListTeamRepo",
  tag: "organization",
  method: "get",
  path: "/teams/{id}/repos/{org}/{repo}",
  summary: "Get a repository of a team",
  needs: { scope: ["organization"], team: "member", repository: { mode: "read" } },
  status: 200,
  returns: { json: Repository },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, access, team } = request;
    if (!teamIncludes(team.team, access.repository)) throw notFound("the team does not have this repository");
    return presentRepository(viewOf(request), await repositoryDetailsOf(forge, access, actor));
  },
});

const orgAddTeamRepository = endpoint({
  id: "orgAddTeamRepository",
  tag: "organization",
  method: "put",
  path: "/teams/{id}/repos/{org}/{repo}",
  summary: "Give a repository of the organization to a team",
  needs: { scope: ["organization"], team: "member", repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, team }) => {
    await addTeamRepository(forge, access, team.team);
    return undefined;
  },
});

const orgRemoveTeamRepository = endpoint({
  id: "orgRemoveTeamRepository",
  tag: "organization",
  method: "delete",
  path: "/teams/{id}/repos/{org}/{repo}",
  summary: "Take a repository from a team",
  needs: { scope: ["organization"], team: "member", repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, team }) => {
    await removeTeamRepository(forge, access, team.team);
    return undefined;
  },
});

const repoListTeams = endpoint({
  id: "repoListTeams",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/teams",
  summary: "List the teams that have a repository; none when its owner is a user",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 200,
  returns: { json: Team.array() },
  errors: [401, 403, 404],
  handle: async (request) => {
    const found = await listTeamsOfRepository(request.forge, request.access);
    return found.map((team) => presentTeam(viewOf(request), team));
  },
});

const repoCheckTeam = endpoint({
  id: "repoCheckTeam",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/teams/{team}",
  summary: "Get a team that has a repository",
  needs: { scope: ["repository"], login: true, repository: { mode: "read" } },
  status: 200,
  returns: { json: Team },
  errors: [401, 403, 404, 405],
  handle: async (request) => {
    const { forge, access, params } = request;
    return presentTeam(viewOf(request), await getTeamOfRepository(forge, access, params.team));
  },
});

const repoAddTeam = endpoint({
  id: "repoAddTeam",
  tag: "repository",
  method: "put",
  path: "/repos/{owner}/{repo}/teams/{team}",
  summary: "Give a repository to a team of its organization",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 405, 409, 422],
  handle: async ({ forge, access, params }) => {
    await addTeamToRepository(forge, access, params.team);
    return undefined;
  },
});

const repoDeleteTeam = endpoint({
  id: "repoDeleteTeam",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/teams/{team}",
  summary: "Take a repository from a team",
  needs: { scope: ["repository"], login: true, repository: { mode: "admin" } },
  status: 204,
  errors: [401, 403, 404, 405, 409, 422],
  handle: async ({ forge, access, params }) => {
    await removeTeamFromRepository(forge, access, params.team);
    return undefined;
  },
});

export const teamRepositoryEndpoints = [
  orgListTeamRepos,
  orgListTeamRepo,
  orgAddTeamRepository,
  orgRemoveTeamRepository,
  repoListTeams,
  repoCheckTeam,
  repoAddTeam,
  repoDeleteTeam,
];
