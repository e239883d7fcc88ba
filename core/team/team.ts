/** Teams of organizations, and through them who is a member of what: the verbs. */

export { create, type NewTeam, ownersTeamWrites } from "./create.ts";
export { edit, type TeamChanges } from "./edit.ts";
export {
  find,
  findMember,
  list,
  listOrganizationMembers,
  listOwn,
  type Member,
  search,
} from "./list.ts";
export { addMember, hasMember, leavingWrites, listMembers, removeMember } from "./members.ts";
export { membershipWrites } from "./memberships.ts";
export {
  addRepository,
  addToRepository,
  getOfRepository,
  listOfRepository,
  removeFromRepository,
  removeRepository,
} from "./of-repository.ts";
export { forgetTeam, remove } from "./remove.ts";
export { listRepositories } from "./repositories.ts";
export type { AskedRights } from "./rights.ts";
