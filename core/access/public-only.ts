import type { Actor } from "../actor.ts";
import { type ForgeError, forbidden } from "../errors.ts";
import type { Owner } from "../owner/owner.ts";
import type { Repository } from "../repository/repository.table.ts";

/** An owner, or a repository with its owner. */
export interface Place {
  readonly owner: Pick<Owner, "visibility">;
  readonly repository?: Pick<Repository, "isPrivate">;
}

/** Whether everybody may know of it. What a private or limited owner has is not public. */
export const isPublic = ({ owner, repository }: Place): boolean =>
  owner.visibility === "public" && repository?.isPrivate !== true;

/**
 * Whether the caller's token, limited to public things, keeps the caller out despite their rights (semantics §2.5).
 * Lists leave such things out; a request that names one gets `publicOnlyRefusal`.
 */
export const isHiddenFromToken = (actor: Actor | undefined, place: Place): boolean =>
  actor?.grant?.isPublicOnly === true && !isPublic(place);

/** 403: the token is limited to what is public. */
export const publicOnlyRefusal = (): ForgeError => forbidden("the token is limited to what is public");
