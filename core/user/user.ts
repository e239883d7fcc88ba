/** Users: the verbs. */

export { hasAdministrator, lastAdministrator, leavesAdministrators } from "./administrators.ts";
export { create, type NewUser } from "./create.ts";
export { edit, rename, setAvatar, type UserChanges } from "./edit.ts";
export { commitEmail, findAllByEmail, noReplyEmail } from "./email.ts";
export {
  addEmails,
  addressKeys,
  type ListedEmail,
  listAllEmails,
  listEmails,
  removeEmails,
} from "./emails.ts";
export { isDomainAllowed } from "./fields.ts";
export {
  findAllById,
  findById,
  findByLogin,
  findByName,
  findOwner,
  findVisible,
  getByName,
  noSuchUser,
} from "./find.ts";
export { listAll, listOf, search, type UserListing } from "./list.ts";
export { goneUserTail } from "./listing.ts";
export { actionsUser, findSystemUser, findSystemUserByName, ghost } from "./system-users.ts";
export { verifiedEmails } from "./verified-emails.ts";
