import type { PackEntry } from "../pack/pack-files.ts";
import { ByteReader, ByteWriter } from "../refs/byte-writer.ts";

/** The origin of a pack: pushed, made by the service, or consolidated from others. */
export type PackSource = "receive" | "create" | "consolidate";

/** One pack of the manifest in ROOT. */
export interface ManifestPack extends PackEntry {
  readonly source: PackSource;
  /** The repository whose prefix holds the files: a fork names packs of its parent. */
  readonly repositoryId: number;
}

/** The key of a repository's pack, without `.pack` and `.side`. */
export const packFileKey = (repositoryId: number, packId: string): string => `r/${repositoryId}/p/${packId}`;

const formatByte = 1;
const idBytes = 8;
const sources: readonly PackSource[] = ["receive", "create", "consolidate"];

/** The manifest as one attribute: a format byte, then 33 bytes a pack, oldest first. */
export function encodeManifest(packs: readonly ManifestPack[]): Buffer {
  const writer = new ByteWriter(1 + packs.length * 33).u8(formatByte);
  for (const pack of packs) {
    writer.u48(pack.repositoryId).hex(pack.id).u48(pack.packBytes).u48(pack.sideBytes).u48(pack.objects);
    writer.u8(sources.indexOf(pack.source));
  }
  return writer.finish();
}

/** Reads `encodeManifest`'s bytes. Throws when they are damaged or of a newer format. */
export function decodeManifest(bytes: Uint8Array): ManifestPack[] {
  const reader = new ByteReader(bytes);
  const format = reader.u8();
  if (format !== formatByte) throw new Error(`pack manifest of unknown format ${format}`);
  const packs: ManifestPack[] = [];
  while (!reader.isAtEnd) {
    const repositoryId = reader.u48();
    const id = reader.hex(idBytes);
    const [packBytes, sideBytes, objects] = [reader.u48(), reader.u48(), reader.u48()];
    const source = sources[reader.u8()];
    if (source === undefined) throw new Error("pack manifest with an unknown source");
    const key = packFileKey(repositoryId, id);
    packs.push({ id, key, packBytes, sideBytes, objects, source, repositoryId });
  }
  return packs;
}
