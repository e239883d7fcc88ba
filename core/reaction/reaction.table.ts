import { padded } from "../ids.ts";
import { issuePartition } from "../issue/issue.table.ts";
import type { Item, TableKey } from "../table/write.ts";

/** The target of a reaction: an issue or pull, or a comment on it. */
export interface ReactionTarget {
  readonly repositoryId: number;
  readonly number: number;
  /** 0: the issue or pull itself. */
  readonly commentId: number;
}

/** A user's reaction, of each content at most one. */
export interface Reaction extends Item {
  readonly userId: number;
  /** For instance `+1` or `heart`. */
  readonly content: string;
  /** Whole seconds. */
  readonly createdAt: number;
  /** The same in milliseconds, for the order within a second; older reactions lack it. */
  readonly createdAtMs?: number;
  readonly _v: 1;
}

/** Sort keys of reactions begin with this. */
export const reactionPrefix = "RE#";

/** All reactions on one thing. */
export const reactionsOf = ({ repositoryId, number, commentId }: ReactionTarget) => ({
  pk: issuePartition(repositoryId, number),
  prefix: `${reactionPrefix}${padded(commentId)}#`,
});
export const reactionKey = (target: ReactionTarget, userId: number, content: string): TableKey => {
  const { pk, prefix } = reactionsOf(target);
  return { pk, sk: `${prefix}${padded(userId)}#${content}` };
};
