import { giveWay } from "../concurrency/give-way.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type ListIndexQuery, listFromIndex } from "../list-index/list-index.ts";
import { readListed } from "../list-index/listed-items.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import { keyText } from "../table/write.ts";
import { type ReleaseFilter, releaseIndex } from "./release.index.ts";
import { type Release, releaseKey } from "./release.table.ts";
import { isReleaseWriter, type ReleaseAccess } from "./release.ts";

/** Which releases of a repository to list: the newest first. */
export interface ReleaseQuery extends PageRequest {
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
  /** A part of the tag, the title or the notes, in any case. */
  readonly words?: string;
}

/** Releases of one page and the number of all; `isExact` is false when some notes were not searched. */
export interface ReleaseListing {
  readonly items: readonly Release[];
  readonly total: number;
  readonly isExact: boolean;
}

/** One page of a repository's releases, with every acknowledged change; drafts for writers alone (semantics §43.1). */
export async function listReleases(
  forge: Forge,
  access: ReleaseAccess,
  { isDraft, isPrerelease, words = "", page, limit }: ReleaseQuery,
): Promise<ReleaseListing> {
  const isWriter = isReleaseWriter(access);
  if (isDraft === true && !isWriter) return { items: [], total: 0, isExact: true };
  const filter = defined({ isDraft: isWriter ? isDraft : false, isPrerelease });
  const { id } = access.repository;
  if (words !== "") return searchReleases(forge, id, { filter, words: words.toLowerCase(), page, limit });
  const { ids, total } = await read(forge, id, { filter, page, limit });
  return { items: await load(forge, id, ids), total, isExact: true };
}

const read = (
  forge: Forge,
  repositoryId: number,
  query: Omit<ListIndexQuery<ReleaseFilter, "newest">, "sort">,
) => listFromIndex(forge, releaseIndex(repositoryId), { ...query, sort: "newest" });

/** The releases of a page, read anew, because assets change without a new version. */
async function load({ table }: Forge, repositoryId: number, numbers: readonly number[]): Promise<Release[]> {
  const keys = numbers.map((number) => releaseKey(repositoryId, number));
  const found = await table.getAll<Release>(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

/** One search reads so many notes, the newest releases first. */
const mostSearched = { releases: 2_000, bytes: 4 * 2 ** 20, atOnce: 100 } as const;
const everything = { page: 1, limit: Number.MAX_SAFE_INTEGER } as const;

interface Search extends PageRequest {
  readonly filter: ReleaseFilter;
  /** In lower case. */
  readonly words: string;
}

/** Tags and titles lie in the list index; notes are read from the releases, a bounded number. */
async function searchReleases(
  forge: Forge,
  repositoryId: number,
  { filter, words, page, limit }: Search,
): Promise<ReleaseListing> {
  const [all, named] = await Promise.all([
    read(forge, repositoryId, { filter, ...everything, withVersions: true }),
    read(forge, repositoryId, { filter: { ...filter, words }, ...everything }),
  ]);
  const matching = new Set(named.ids);
  const versions = new Map(all.ids.map((number, at) => [number, all.versions?.[at]]));
  const others = all.ids.filter((number) => !matching.has(number));
  let [searched, bytes] = [0, 0];
  while (searched < Math.min(others.length, mostSearched.releases) && bytes < mostSearched.bytes) {
    const numbers = others.slice(searched, searched + mostSearched.atOnce);
    const listed = numbers.map((number) => ({
      ...releaseKey(repositoryId, number),
      version: versions.get(number),
    }));
    for (const item of (await readListed(forge.table, listed)).values()) {
      const { number, body } = item as Release;
      bytes += body.length;
      if (body.toLowerCase().includes(words)) matching.add(number);
    }
    searched += numbers.length;
    await giveWay();
  }
  const numbers = all.ids.filter((number) => matching.has(number));
  const items = await load(forge, repositoryId, rowsOfPage(numbers, { page, limit }));
  return { items, total: numbers.length, isExact: searched === others.length };
}
