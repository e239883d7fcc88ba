/** Repositories: the verbs. Each does one thing, in one transaction where readers could notice a half. */
export { create, type NewRepository } from "./create.ts";
export {
  detailsFor,
  detailsOf,
  findAllDetails,
  type RepositoryDetails,
  type RepositoryReference,
} from "./details.ts";
export { edit, type RepositoryChanges } from "./edit.ts";
export { emptyRepository } from "./emptying.ts";
export { noteActivity } from "./listing.ts";
export { type PushedRefs, push } from "./push.ts";
export { remove } from "./remove.ts";
