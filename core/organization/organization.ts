/** Organizations: the verbs. The teams hold the members. */

export { create, createOwn, type NewOrganization, type Profile, requireCreator } from "./create.ts";
export { edit, rename, setAvatar } from "./edit.ts";
export { findAllById, list, listOfUser, type OrganizationListing } from "./list.ts";
export { publicize, removeMember } from "./members.ts";
export { type OrganizationPermissions, permissionsOf } from "./permissions.ts";
export { forgetOrganization, purge, remove } from "./remove.ts";
export {
  removeNamedRepositories,
  removeRepositories,
  removingRepositoriesKind,
} from "./remove-repositories.ts";
