/** The code of repositories: what a client reads and changes without git. */

export { packBetween, withObjectsOf } from "./across.ts";
export { type Archive, getArchive } from "./archive.ts";
export type { ZonedTime } from "./authorship.ts";
export { authorshipOf } from "./authorship.ts";
export { changeFiles, type FilesChange, type FilesChanged } from "./change-files.ts";
export {
  type AffectedFile,
  type CommitDetails,
  changesOf,
  detailsOf,
  type WantedDetails,
} from "./commit-details.ts";
export { type CommitQuery, listCommits, readCommit } from "./commits.ts";
export {
  type ComparedCommits,
  type Comparison,
  compare,
  diffBetween,
  findRange,
  parseRange,
  patchesBetween,
} from "./compare.ts";
export { type Contents, type Entry, findAt, readContents, readFiles } from "./contents.ts";
export { readEditorSettings } from "./editor-config.ts";
export { changeRefs, land, landIn, type RefsToLand } from "./land.ts";
export { type ListedEntry, listTree } from "./list-tree.ts";
export { getNote, getNotedCommit, type Note, removeNote, setNote } from "./notes.ts";
export {
  type AnnotatedTag,
  type Blob,
  getAnnotatedTag,
  getBlob,
  getTree,
  type KnownRef,
  listRefs,
  readTag,
  tagsByDate,
} from "./objects.ts";
export { type Code, findCommit, getCommit, isEmpty, type NamedCommit, openCode } from "./open.ts";
export { diffOf, patchOf } from "./patches.ts";
export { type RawFile, readRawBlob, readRawFile, readRawFileAt } from "./raw-file.ts";
export {
  judgementFor,
  type Signed,
  type Verification,
  verifyAll,
  verifyCommits,
} from "./verification.ts";
