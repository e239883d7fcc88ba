/** Repositories: the verbs. Each does one thing, in one transaction where readers could notice a half. */

export type { RepositorySort } from "../directory/repositories.ts";
export { create, type NewRepository } from "./create.ts";
export {
  detailsOf,
  detailsOfEdited,
  detailsOfNew,
  findAllDetails,
  type RepositoryDetails,
  type RepositoryReference,
} from "./details.ts";
export { edit, type RepositoryChanges } from "./edit.ts";
export { emptyRepository } from "./emptying.ts";
export {
  type ListPage,
  listOfOwner,
  listOwn,
  type RepositoryListing,
  type RepositorySearch,
  search,
} from "./list.ts";
export { noteActivity } from "./listing.ts";
export { type PushedRefs, type PushRules, push, pushRules } from "./push.ts";
export { remove } from "./remove.ts";
