import type { Forge } from "../forge.ts";
import {
  cardKey,
  type Repository,
  type RepositoryCard,
  repositoryKey,
} from "../repository/repository.table.ts";
import { absent, equals } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import { usageKey } from "./quota.table.ts";
import { type Usage, type UsageName, usageNames } from "./subject.ts";
import { onCard, totalsWrite } from "./usage.ts";

/** The total that counts the packs of a repository. */
const packsOf = (isPrivate: boolean): UsageName => (isPrivate ? "privateRepositories" : "publicRepositories");

/** All that the card of a repository counts. */
export function usageOfCard(card: RepositoryCard): Usage {
  const other = packsOf(!card.isPrivate);
  const bytes = usageNames.map((name) => [name, name === other ? 0 : (card[onCard[name].bytes] ?? 0)]);
  return Object.fromEntries(bytes) as Usage;
}

/** The owner's totals get (1) or lose (−1) all that a card counts. */
export function cardTotalsWrites(ownerId: number, card: RepositoryCard, by: 1 | -1): Write[] {
  const counted = Object.entries(usageOfCard(card)).filter(([, bytes]) => bytes !== 0);
  const sums = Object.fromEntries(counted.map(([name, bytes]) => [name, by * bytes]));
  return counted.length === 0 ? [] : [totalsWrite(usageKey(ownerId, card.repositoryId), sums)];
}

/**
 * A repository's packs become so many bytes larger, or smaller when below 0: for the transaction that writes ROOT. `set`
 * are other attributes of the card. Fails when the repository has another owner or another visibility by then.
 */
export function packUsageWrites(
  { id, ownerId, isPrivate }: Pick<Repository, "id" | "ownerId" | "isPrivate">,
  grownBytes: number,
  set: Partial<Pick<RepositoryCard, "pushedAt">> = {},
): Write[] {
  const card = update(
    cardKey(ownerId, id),
    { set, add: { gitBytes: grownBytes, v: 1 } },
    equals({ isPrivate }),
  );
  if (grownBytes === 0) return [card];
  return [card, totalsWrite(usageKey(ownerId, id), { [packsOf(isPrivate)]: grownBytes })];
}

/** The same for a repository as it is now; none when it is gone. */
export async function presentPackUsageWrites(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  grownBytes: number,
): Promise<Write[]> {
  const repository = await table.get<Repository>(repositoryKey(repositoryId));
  return repository === undefined ? [] : packUsageWrites(repository, grownBytes);
}

/** A repository that ends is counted no more. The card is as it was read, and may be missing. */
export const cardRemovalWrites = (
  ownerId: number,
  repositoryId: number,
  card: RepositoryCard | undefined,
): Write[] =>
  card === undefined
    ? [remove(cardKey(ownerId, repositoryId), absent)]
    : [remove(cardKey(ownerId, repositoryId), equals({ v: card.v })), ...cardTotalsWrites(ownerId, card, -1)];

/** A repository is counted at another owner. The card is as it was read. */
export function cardMoveWrites(card: RepositoryCard, from: number, to: number): Write[] {
  const moved: RepositoryCard = { ...card, ...cardKey(to, card.repositoryId), v: card.v + 1 };
  return [
    ...cardRemovalWrites(from, card.repositoryId, card),
    put(moved, absent),
    ...cardTotalsWrites(to, card, 1),
  ];
}

/** A repository's packs are counted as those of a private one, or a public one. Fails when the card is another by then. */
export async function cardVisibilityWrites(
  { table }: Pick<Forge, "table">,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  set: Pick<RepositoryCard, "isPrivate"> & Partial<Pick<RepositoryCard, "name">>,
): Promise<Write[]> {
  const key = cardKey(ownerId, id);
  const card = await table.get<RepositoryCard>(key);
  const write = update(key, { set, add: { v: 1 } }, equals({ v: card?.v ?? 0 }));
  if (card === undefined || set.isPrivate === card.isPrivate || card.gitBytes === 0) return [write];
  const { gitBytes } = card;
  const sums = { [packsOf(card.isPrivate)]: -gitBytes, [packsOf(set.isPrivate)]: gitBytes };
  return [write, totalsWrite(usageKey(ownerId, id), sums)];
}
