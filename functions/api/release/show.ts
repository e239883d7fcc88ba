import { findAttachmentsOf } from "#core/attachment/attachment";
import type { Attachment } from "#core/attachment/attachment.table";
import { listMemory } from "#core/capacity/list-memory";
import type { Forge } from "#core/forge";
import { findReleaseTags } from "#core/release/downloads";
import type { Release } from "#core/release/release.table";
import { findUsersById } from "#core/user/find";
import { ghostUser } from "#core/user/system-users";
import type { User } from "#core/user/user.table";
import type { View } from "../../http/answer/view.ts";
import type { Place } from "../commit/present.ts";
import { presentRelease } from "./present.ts";
import type { ReleaseJson } from "./schema.ts";

/** Assets are read for so many at once: an answer may end before the releases of its page do. */
const assetsAtOnce = 1_000;
/** An asset in JSON, mostly less; its name and its address may be long. */
const assetBytes = 2_048;

/** Counts what the assets of a release take, before a reader's answer is made of them. */
export const reserveAssets = (forge: Forge, { assets }: Release): Promise<void> =>
  forge.reserveInAll(listMemory(assets * assetBytes));

/** Reads what releases of one repository refer to, and presents them with it, as far as the answer has room. */
export async function* showReleases(
  forge: Forge,
  view: View,
  place: Place,
  releases: readonly Release[],
): AsyncGenerator<ReleaseJson> {
  for (let first = 0, end = 0; first < releases.length; first = end) {
    let assets = 0;
    do assets += releases[end]?.assets ?? 0;
    while (++end < releases.length && assets + (releases[end]?.assets ?? 0) <= assetsAtOnce);
    yield* await showTogether(forge, view, place, releases.slice(first, end));
  }
}

/** The same for one that is read. */
export async function showReadRelease(
  forge: Forge,
  view: View,
  place: Place,
  release: Release,
): Promise<ReleaseJson> {
  await reserveAssets(forge, release);
  return showRelease(forge, view, place, release);
}

/** The same for one that was written: it is there, whether the answer has room or not. */
export async function showRelease(
  forge: Forge,
  view: View,
  place: Place,
  release: Release,
): Promise<ReleaseJson> {
  const [shown] = await showTogether(forge, view, place, [release]);
  return shown as ReleaseJson;
}

/** Lists show downloads of archives a moment late, like other counts of lists (D-LISTED). */
async function showTogether(
  forge: Forge,
  view: View,
  place: Place,
  releases: readonly Release[],
): Promise<ReleaseJson[]> {
  const names = releases.map(({ tagName }) => tagName);
  const [assets, tags, authors] = await Promise.all([
    findAttachmentsOf(forge, releases),
    findReleaseTags(forge, place.repository.id, names, { isConsistent: releases.length === 1 }),
    findAuthors(forge, view, releases),
  ]);
  return releases.map((release) =>
    presentRelease(view, place, release, {
      author: authors.get(release.authorId) ?? ghostUser,
      assets: inOrder(release, assets),
      tag: tags.get(release.tagName),
    }),
  );
}

async function findAuthors(
  forge: Forge,
  { actor }: View,
  releases: readonly Release[],
): Promise<ReadonlyMap<number, User>> {
  const others = new Set(releases.map(({ authorId }) => authorId));
  if (actor !== undefined) others.delete(actor.user.id);
  const found = await findUsersById(forge, [...others]);
  return actor === undefined ? found : new Map([...found, [actor.user.id, actor.user]]);
}

const inOrder = ({ attachmentIds }: Pick<Release, "attachmentIds">, found: Found): Attachment[] =>
  [...(attachmentIds ?? [])].sort((one, other) => one - other).flatMap((id) => found.get(id) ?? []);

type Found = ReadonlyMap<number, Attachment>;
