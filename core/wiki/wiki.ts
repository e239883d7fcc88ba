/** Wikis: the verbs. Pages are files at the top of a git repository that lies beside the code (D-WIKI). */

export { createPage, editPage, type NewPage, removePage } from "./change.ts";
export { webNameOf } from "./names.ts";
export {
  getPage,
  listPages,
  listRevisions,
  type Page,
  type PageOverview,
} from "./read.ts";
export { pushRules, renameBranch, withWiki } from "./store.ts";
