import type { RepositoryAccess } from "#core/access/repository-access";
import type { Actor } from "#core/actor";
import type { Forge } from "#core/forge";
import { getPull } from "#core/pull/pull";
import { getPullAndReview } from "#core/review/review";
import { bySignedInReaders } from "../pull/needs.ts";

interface PullRequested {
  readonly forge: Forge;
  readonly access: RepositoryAccess;
  readonly params: { readonly index: number };
}
interface ReviewRequested extends PullRequested {
  readonly actor: Actor;
  readonly params: { readonly index: number; readonly id: number };
}

/** The common part of the operations by which any reader takes part in a request: it is there before a body is read. */
export const onPull = {
  ...bySignedInReaders,
  thingRights: ({ forge, access, params }: PullRequested) => getPull(forge, access, params.index),
} as const;

/** The same for one of its reviews, which is for the caller. */
export const onReview = {
  ...bySignedInReaders,
  thingRights: ({ forge, access, params, actor }: ReviewRequested) =>
    getPullAndReview(forge, access, params.index, params.id, actor),
} as const;
