/** The code of repositories: what a client reads and changes of it without git. */

export { type Archive, type ArchiveKind, archivePrefix, getArchive } from "./archive.ts";
export { type AffectedFile, type CommitDetails, detailsOf, type WantedDetails } from "./commit-details.ts";
export { type CommitQuery, listCommits, readCommit } from "./commits.ts";
export { type Contents, type Entry, readContents } from "./contents.ts";
export { type Code, findCommit, getCommit, isEmpty, type NamedCommit, openCode } from "./open.ts";
export { type RawFile, readRawFile } from "./raw-file.ts";
export { type Signed, type Verification, verifyAll } from "./verification.ts";
