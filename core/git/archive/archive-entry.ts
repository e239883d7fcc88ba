import type { ObjectId } from "../format/object-format.ts";

/** A folder, or the empty one that stands for a submodule. Paths are raw bytes (latin1) and end in a slash. */
export interface ArchivedFolder {
  readonly kind: "folder";
  readonly path: string;
  /** Of submodules the commit, else the tree. */
  readonly id: ObjectId;
}

/** A file or a symbolic link. */
export interface ArchivedFile {
  readonly kind: "file" | "executable" | "symlink";
  readonly path: string;
  readonly id: ObjectId;
  /** Whether it is lines of text, from its attributes or its content. */
  readonly isText: boolean;
  readonly sizeBytes: number;
  /** The whole content, or pieces of a large one. */
  readonly content: Buffer | AsyncIterable<Buffer>;
}

/** One member of an archive, as it goes out. */
export type ArchiveEntry = ArchivedFolder | ArchivedFile;

/** Pieces of a content, whichever way it comes. */
export async function* piecesOf(content: ArchivedFile["content"]): AsyncGenerator<Buffer> {
  if (content instanceof Uint8Array) yield content;
  else yield* content;
}
