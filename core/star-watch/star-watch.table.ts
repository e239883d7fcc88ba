import { padded } from "../ids.ts";
import { userPartition } from "../owner/owner.table.ts";
import { repositoryPartition } from "../repository/repository.table.ts";
import { type Item, put, type TableKey, type Write } from "../table/write.ts";

/** The relations of a user to a repository: a star, or a watch. */
export const starAndWatchKinds = ["star", "watch"] as const;
export type StarOrWatchKind = (typeof starAndWatchKinds)[number];

/**
 * Its origin: `asked` for, `auto` after an action of theirs, or `refused`, which keeps it from coming by itself again
 * and counts for nothing (semantics §42). Stars are always asked for.
 */
export type WatchMode = "asked" | "auto" | "refused";

/** A star or watch; the same item lies at the user's and at the repository's. */
export interface StarOrWatch extends Item {
  readonly userId: number;
  readonly repositoryId: number;
  readonly mode: WatchMode;
  /** Whole seconds since the epoch. */
  readonly createdAt: number;
  readonly _v: 1;
}

/** The beginnings of their sort keys. */
export const starAndWatchPrefixes: Readonly<Record<StarOrWatchKind, string>> = {
  star: "STAR#",
  watch: "WATCH#",
};

/** Whether an item is a star or a watch, by its sort key. */
export const isStarOrWatch = ({ sk }: TableKey): boolean =>
  starAndWatchKinds.some((kind) => sk.startsWith(starAndWatchPrefixes[kind]));

/** A repository's stars or watches, by user. */
export const starsAndWatchesOfRepository = (kind: StarOrWatchKind, repositoryId: number) => ({
  pk: repositoryPartition(repositoryId),
  prefix: starAndWatchPrefixes[kind],
});
/** A user's stars or watches, by repository. */
export const starsAndWatchesOfUser = (kind: StarOrWatchKind, userId: number) => ({
  pk: userPartition(userId),
  prefix: starAndWatchPrefixes[kind],
});
/** At the repository's; the one whose condition decides. */
export const starOrWatchKey = (kind: StarOrWatchKind, repositoryId: number, userId: number): TableKey => ({
  pk: repositoryPartition(repositoryId),
  sk: `${starAndWatchPrefixes[kind]}${padded(userId)}`,
});
/** At the user's. */
export const starOrWatchMirrorKey = (
  kind: StarOrWatchKind,
  userId: number,
  repositoryId: number,
): TableKey => ({
  pk: userPartition(userId),
  sk: `${starAndWatchPrefixes[kind]}${padded(repositoryId)}`,
});

/** Both items of a star or watch. */
export function starAndWatchItems(
  kind: StarOrWatchKind,
  starOrWatch: Pick<StarOrWatch, "userId" | "repositoryId" | "mode" | "createdAt">,
): readonly [StarOrWatch, StarOrWatch] {
  const { userId, repositoryId, mode, createdAt } = starOrWatch;
  const given = { userId, repositoryId, mode, createdAt, _v: 1 } as const;
  return [
    { ...starOrWatchKey(kind, repositoryId, userId), ...given },
    { ...starOrWatchMirrorKey(kind, userId, repositoryId), ...given },
  ];
}

/** The watch of a repository's creator, for the transaction that creates it; the count begins with it. */
export const firstWatchWrites = (repositoryId: number, userId: number, createdAt: number): Write[] =>
  starAndWatchItems("watch", { userId, repositoryId, mode: "auto", createdAt }).map((item) => put(item));
