import { notFound } from "#core/errors";
import { addTeamMember, hasTeamMember, listTeamMembers, removeTeamMember } from "#core/team/members";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { presentUsers } from "../user/lists.ts";
import { presentUser } from "../user/present.ts";
import { User } from "../user/schema.ts";

const orgListTeamMembers = endpoint({
  id: "orgListTeamMembers",
  tag: "organization",
  method: "get",
  path: "/teams/{id}/members",
  summary: "List a team's members",
  needs: { scope: ["organization"], team: "member" },
  status: 200,
  returns: { list: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const ids = await listTeamMembers(request.forge, request.team.team);
    return presentUsers(request.forge, viewOf(request), ids, request.page);
  },
});

const orgListTeamMember = endpoint({
  id: "orgListTeamMember",
  tag: "organization",
  method: "get",
  path: "/teams/{id}/members/{username}",
  summary: "Get a member of a team",
  needs: { scope: ["organization"], team: "member", user: "visible" },
  status: 200,
  returns: { json: User },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, team, user } = request;
    if (!(await hasTeamMember(forge, team.team, user.id))) {
      throw notFound(`the user is not in the team [name: ${user.name}]`);
    }
    return presentUser(viewOf(request), user);
  },
});

const orgAddTeamMember = endpoint({
  id: "orgAddTeamMember",
  tag: "organization",
  method: "put",
  path: "/teams/{id}/members/{username}",
  summary: "Make a user a member of a team, and so of the organization",
  needs: { scope: ["organization"], team: "owner", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, team, user }) => {
    await addTeamMember(forge, team.team, user.id);
    return undefined;
  },
});

const orgRemoveTeamMember = endpoint({
  id: "orgRemoveTeamMember",
  tag: "organization",
  method: "delete",
  path: "/teams/{id}/members/{username}",
  summary: "Take a user out of a team, or leave it oneself; the last owner stays",
  needs: { scope: ["organization"], team: "owner-or-self", user: "visible" },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, team, user }) => {
    await removeTeamMember(forge, team.team, user.id);
    return undefined;
  },
});

export const teamMemberEndpoints = [
  orgListTeamMembers,
  orgListTeamMember,
  orgAddTeamMember,
  orgRemoveTeamMember,
];
