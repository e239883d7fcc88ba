import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { assetProblem } from "../attachment/allowed-types.ts";
import { type Attachment, attachmentKey } from "../attachment/attachment.table.ts";
import { editAttachment, findAttachmentsOf } from "../attachment/attachment.ts";
import type { ReceivedFile } from "../attachment/receive.ts";
import { attachmentAdditionWrites, attachmentRemovalWrites } from "../attachment/write.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { badRequest, conflict, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { usageHolderOf } from "../quota/usage.ts";
import { all, below, contains, exists } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { isWebUrl } from "../text.ts";
import { type Release, releaseKey } from "./release.table.ts";
import {
  findRelease,
  findReleaseByTag,
  getLatestRelease,
  getRelease,
  type ReleaseAccess,
  visibleRelease,
} from "./release.ts";

/** A page of releases reads all assets of each. */
const mostAssets = 400;
const longestUrl = 2048;

/** A file that was received for a release, or one elsewhere by its address. */
export type NewAsset = ReceivedFile & { readonly externalUrl?: string };

const noSuchAsset = (id: number) => notFound(`attachment does not exist [id: ${id}]`);

/** The assets of a release, in the order of their upload. */
export const assetsOf = async (forge: Forge, release: Release): Promise<Attachment[]> =>
  [...(await findAttachmentsOf(forge, [release])).values()].sort((one, other) => one.id - other.id);

/** One of them. NotFound as for the release, and for an asset of another one. */
export async function getAsset(
  forge: Forge,
  access: ReleaseAccess,
  releaseId: number,
  id: number,
): Promise<Attachment> {
  const { repositoryId, attachmentIds } = await getRelease(forge, access, releaseId);
  const isNamed = attachmentIds?.has(id) === true;
  const found = isNamed ? await forge.table.get<Attachment>(attachmentKey(repositoryId, id)) : undefined;
  if (found === undefined) throw noSuchAsset(id);
  return found;
}

/**
 * Makes a received file an asset of a release. NotFound when the release is gone; 400 for a kind of file that is not
 * allowed; 422 for a name that is not valid, and when the release has 400 assets.
 */
export async function createAsset(
  forge: Forge,
  { id: releaseId, repositoryId, number }: Release,
  { uuid, name, sizeBytes, contentType, externalUrl, isAwaited = undefined }: NewAsset,
  actor: Actor,
): Promise<Attachment> {
  const problem = assetProblem(forge.config, name, contentType);
  if (problem !== undefined) throw problem;
  const id = await nextId(forge.table, "attachment");
  const asset: Attachment = {
    ...attachmentKey(repositoryId, id),
    ...{ id, uuid, repositoryId, target: { kind: "release", number }, uploaderId: actor.user.id },
    ...{ name, sizeBytes, contentType, downloads: 0, createdAt: nowSeconds(forge.clock), _v: 1 },
    ...defined({ externalUrl }),
  };
  const key = releaseKey(repositoryId, number);
  const add = {
    ...{ attachmentIds: new Set([id]), assets: 1 },
    ...{ assetBytes: sizeBytes, assetChanges: 1 },
  };
  const named = update(key, { add }, all(exists, below({ assets: mostAssets })));
  await writeAsset(forge, repositoryId, {
    writesFor: (ownerId) => [named, ...attachmentAdditionWrites(ownerId, asset, isAwaited === true)],
    async refusal() {
      const release = await findRelease(forge, repositoryId, number);
      if (release === undefined) return notFound(`release does not exist [id: ${releaseId}]`);
      if (release.assets >= mostAssets) {
        return invalid("Attachment", `at most ${mostAssets} on one release`);
      }
      return undefined;
    },
  });
  return asset;
}

/** Removes an asset. NotFound as in `getAsset`. */
export async function removeAsset(
  forge: Forge,
  access: ReleaseAccess,
  releaseId: number,
  id: number,
): Promise<void> {
  const asset = await getAsset(forge, access, releaseId, id);
  const { repositoryId, target, sizeBytes } = asset;
  const change = {
    take: { attachmentIds: new Set([id]) },
    add: { assets: -1, assetBytes: -sizeBytes, assetChanges: 1 },
  };
  const unnamed = update(releaseKey(repositoryId, target.number), change, contains({ attachmentIds: id }));
  await writeAsset(forge, repositoryId, {
    writesFor: (ownerId) => [unnamed, ...attachmentRemovalWrites(forge, ownerId, asset)],
    refusal: async () => {
      await getAsset(forge, access, releaseId, id);
      return undefined;
    },
  });
}

interface AssetWrite {
  /** The writes, with those at the card of the repository's owner. */
  writesFor(ownerId: number): Write[];
  /** Throws why it can't be written now, or answers it. Undefined: others were faster, try again. */
  refusal(): Promise<Error | undefined>;
}

/** Assets of one release don't wait for each other: each adds itself to the set. */
async function writeAsset(forge: Forge, repositoryId: number, { writesFor, refusal }: AssetWrite) {
  for await (const _attempt of attempts()) {
    const { ownerId } = await usageHolderOf(forge, repositoryId);
    if ((await forge.table.transact(writesFor(ownerId))).committed) return;
    const reason = await refusal();
    if (reason !== undefined) throw reason;
  }
  throw conflict("the release is being changed by others; try again");
}

/** The changes of an asset; absent members stay as they are. */
export interface AssetChanges {
  readonly name?: string;
  readonly externalUrl?: string;
}

/** Changes an asset. NotFound as in `getAsset`; 400 for an address of a file that lies here, and for one that is none. */
export async function editAsset(
  forge: Forge,
  access: ReleaseAccess,
  place: { readonly releaseId: number; readonly id: number },
  changes: AssetChanges,
): Promise<Attachment> {
  const asset = await getAsset(forge, access, place.releaseId, place.id);
  const { name = asset.name, externalUrl } = changes;
  if (externalUrl !== undefined) {
    if (asset.externalUrl === undefined) throw badRequest("the file lies here: it has no other address");
    requireWebUrl(externalUrl);
  }
  const problem = name === asset.name ? undefined : assetProblem(forge.config, name, asset.contentType);
  if (problem !== undefined) throw problem;
  const isSame = name === asset.name && (externalUrl ?? asset.externalUrl) === asset.externalUrl;
  return isSame ? asset : editAttachment(forge, asset, { name, ...defined({ externalUrl }) });
}

/** 400 unless a text is an address of the web (semantics §44.1). */
export function requireWebUrl(url: string): void {
  if (!isWebUrl(url) || url.length > longestUrl) {
    throw badRequest(
      `external_url is no address that starts with http:// or https:// [url: ${url.slice(0, 100)}]`,
    );
  }
}

/** Whether the caller may read the release that an asset is on, and it still names the asset. */
export async function isAssetReadable(
  forge: Forge,
  access: RepositoryAccess,
  id: number,
  number: number,
): Promise<boolean> {
  if (modeOf(access.rights, "releases") < accessMode.read) return false;
  const release = visibleRelease(access, await findRelease(forge, access.repository.id, number));
  return release?.attachmentIds?.has(id) === true;
}

/**
 * The asset of this name on the release of a tag: the first that was uploaded, when several have it. `latest` is the
 * latest release, unless a release has a tag of that name. NotFound otherwise (semantics §44.2).
 */
export async function getAssetByName(
  forge: Forge,
  access: ReleaseAccess,
  tagName: string,
  name: string,
): Promise<Attachment> {
  const onTag = await findReleaseByTag(forge, access, tagName);
  const release = onTag ?? (tagName === "latest" ? await getLatestRelease(forge, access) : undefined);
  const assets = release === undefined ? [] : await assetsOf(forge, release);
  const found = assets.find((asset) => asset.name === name);
  if (found === undefined) throw notFound(`there is no such file [tag: ${tagName}, name: ${name}]`);
  return found;
}
