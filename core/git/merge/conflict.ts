/**
 * What keeps two changes from going together. `content`: both changed the same lines; `binary`, `symlink` and
 * `submodule`: both changed what can't be merged; `mode`: both changed the mode, differently.
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
  | "mode";

/** One conflict; paths are raw bytes (latin1). */
export interface Conflict {
  readonly kind: ConflictKind;
  /** Where the file stands in the merged tree, or would. */
  readonly path: string;
  /** Other names that it had or got. */
  readonly others?: readonly string[];
}
