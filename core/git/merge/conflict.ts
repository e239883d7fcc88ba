/**
 * What keeps two changes from going together. `content`: both changed the same lines; `binary`, `symlink` and
 * `submodule`: both changed what can't be merged; `mode`: both changed the mode, differently. `file location`: a file
 * that one side put into a folder which the other renamed went along; to be looked at. `directory rename split`: nobody
 * can tell where a folder went. `implicit directory rename`: files could not go along, as something else is or would be
 * there.
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
  /** Where the file stands in the merged tree, or would. */
  readonly path: string;
  /** Other names that it had or got. */
  readonly others?: readonly string[];
}
