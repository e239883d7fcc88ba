import { findKnownUsers } from "#core/access/listed-repositories";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { listRepositoriesOfIds } from "#core/repository/listing/list";
import type { RelatedIds } from "#core/star-watch/star-watch";
import type { Page } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { presentUsers } from "../user/lists.ts";
import { presentListing } from "./present.ts";

interface ListRequest {
  readonly forge: Forge;
  readonly actor: Actor | undefined;
  readonly page: Page;
}

/** A page of the repositories that a user starred or watches: of others than the caller only public ones. */
export async function listRelatedRepositories(
  request: ListRequest,
  { ids, isWhole }: RelatedIds,
  userId: number,
) {
  const { forge, actor, page } = request;
  const isPublicOnly = userId !== actor?.user.id;
  const found = await listRepositoriesOfIds(forge, actor, ids, page, { isPublicOnly });
  return { ...presentListing(viewOf(request), found), isExact: isWhole };
}

/** A page of the users who starred or watch a repository, as far as the caller may know of them. */
export async function listRelatedUsers(request: ListRequest, { ids, isWhole }: RelatedIds) {
  const { forge, actor, page } = request;
  const known = await findKnownUsers(forge, actor, ids);
  return { ...(await presentUsers(forge, viewOf(request), known, page)), isExact: isWhole };
}
