import { randomId } from "../../ids.ts";
import type { StagedPacks } from "../ingest/staged-packs.ts";
import { packKey, sideKey } from "../pack/pack-files.ts";
import { openPackSet } from "../pack/pack-set.ts";
import type { OpenRepository, Stores } from "./store.ts";

/** Staged packs in the bucket, in the repository's prefix: `r/<repository>/f/<fetch>/<pack>`. */
export function stagedPacks({ blobs }: Pick<Stores, "blobs">, { root, format }: OpenRepository): StagedPacks {
  const folderOf = (fetchId: string) => `r/${root.repositoryId}/f/${fetchId}`;
  return {
    async put(fetchId, { packPath, packBytes, side, objectCount }) {
      const id = randomId();
      const key = `${folderOf(fetchId)}/${id}`;
      await blobs.putFile(packKey({ key }), packPath);
      await blobs.put(sideKey({ key }), side);
      return { id, key, packBytes, sideBytes: side.length, objects: objectCount };
    },
    open: (entries) => openPackSet(blobs, format, entries),
    async discard(fetchId) {
      const keys: string[] = [];
      for await (const { key } of blobs.list(`${folderOf(fetchId)}/`)) keys.push(key);
      await blobs.remove(keys);
    },
  };
}
