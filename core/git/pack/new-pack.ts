import type { ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";

/** A pack that passed its checks and is not stored yet. It is uploaded only when at least one ref will land. */
export interface NewPack {
  readonly packBytes: number;
  readonly objects: number;
  readonly side: Uint8Array;
  /** The pack's bytes, or the file that holds them. */
  readonly content: Uint8Array | { readonly path: string };
  /** The upload of the file that began during the checks, under the pack's id. */
  readonly ahead?: { readonly packId: string; readonly upload: { finish(): Promise<void> } };
  /** An object of this pack; undefined when it is not in it. */
  read(id: ObjectId): Promise<GitObject | undefined>;
  /** The same in pieces, for large objects that `read` would hold whole. */
  stream?(id: ObjectId): AsyncIterable<Uint8Array>;
  /** Whether an object of this pack names `id`, which is not in it. */
  refersTo(id: ObjectId): boolean;
  /** Objects that no other object of this pack names; absent when unknown (whole packs are then not reused). */
  readonly unreferenced?: readonly ObjectId[];
}
