/** Repositories: the verbs. Each does one thing, in one transaction where readers could notice a half. */

export type { RepositorySort } from "../directory/repositories.ts";
export {
  type CountChanges,
  countsWrite,
  isCrowded,
  readAllCounts,
  readCounts,
  splitCounts,
} from "./counts.ts";
export { create, type NewRepository } from "./create.ts";
export { createInOrganization, creatorWrites } from "./create-in-organization.ts";
export {
  detailsOf,
  detailsOfEdited,
  detailsOfNew,
  detailsOfTransferred,
  findAllDetails,
  type RepositoryDetails,
  type RepositoryReference,
} from "./details.ts";
export type { RepositoryListing } from "./directory-page.ts";
export { edit, type RepositoryChanges } from "./edit.ts";
export { emptyRepository } from "./emptying.ts";
export { changeFlags, listFlags } from "./flags.ts";
export { fork } from "./fork.ts";
export { followOwner, followVisibility, hideFork, isToFollow } from "./fork-changes.ts";
export { isForkOf, mendGuard } from "./fork-guards.ts";
export { findForkPrivacy, listForks } from "./forks.ts";
export { type Generated, type Generation, generate } from "./generate.ts";
export { settleTransfer } from "./hand-over.ts";
export { hasRepositories, listOfIds, listOfOwner, listOfTeam, listOwn } from "./list.ts";
export { noteActivity, repositoryTail } from "./listing.ts";
export { formatInterval, mirrorOf } from "./mirror.ts";
export { permissionOf } from "./permission.ts";
export {
  type BranchRename,
  chooseHead,
  findPushable,
  type PushedRefs,
  type PushRules,
  push,
  pushEvent,
  pushRules,
  refVerdict,
} from "./push.ts";
export { findRelated } from "./related.ts";
export { remove, removeOfOwner } from "./remove.ts";
export { type RepositorySearch, search } from "./search.ts";
export { listShown, type ShownFilter } from "./shown.ts";
export { withTeams } from "./teams.ts";
export {
  acceptTransfer,
  rejectTransfer,
  startTransfer,
  type TransferOutcome,
  type TransferRequest,
} from "./transfer.ts";
