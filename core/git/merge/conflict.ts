/**
 * Why two changes don't go together. `content`: both changed the same lines; `binary`, `symlink` and `submodule`: both
 * changed something that can't be merged; `mode`: both changed the mode, differently. `file location`: one side put a
 * file into a folder that the other renamed, and the file went along; people should look at it. `directory rename
 * split`: nobody can tell where a folder went. `implicit directory rename`: files could not go along, because something
 * else is or would be there.
 */
export type ConflictKind =
  | "content"
  | "add/add"
  | "modify/delete"
  | "rename/rename"
  | "rename/delete"
  | "file/directory"
  | "distinct types"
  | "binary"
  | "symlink"
  | "submodule"
  | "mode"
  | "file location"
  | "directory rename split"
  | "implicit directory rename";

/** One conflict; paths are raw bytes (latin1). */
export interface Conflict {
  readonly kind: ConflictKind;
  /** The file's place in the merged tree, or where it would be. */
  readonly path: string;
  /** Other names that it had or got. */
  readonly others?: readonly string[];
}
