/**
 * What archived repositories refuse with 423 (semantics §1.8, D-ARCHIVED), by method and by path below the repository.
 * An operation under one of these paths is refused without further ado; all others work on archived repositories too,
 * as in the family: edits of issues, labels, hooks, keys, collaborators, stars.
 */
const refused: readonly (readonly [methods: string, path: RegExp])[] = [
  ["post", /^\/issues$/],
  ["post", /^\/issues\/\{\w+\}\/comments$/],
  ["patch", /^\/issues(\/\{\w+\})?\/comments\/\{\w+\}$/],
  ["post patch delete", /^\/issues(\/\{\w+\}|\/comments\/\{\w+\})\/assets(\/|$)/],
  ["post delete", /^\/issues\/\{\w+\}\/(dependencies|assignees)$/],
  ["post", /^\/pulls$/],
  ["post delete", /^\/pulls\/\{\w+\}\/merge$/],
  ["post", /^\/pulls\/\{\w+\}\/update$/],
  ["post patch put delete", /^\/(branches|tags|releases|contents|wiki)(\/|$)/],
  ["post", /^\/(sync_fork|merge-upstream)(\/|$)/],
  ["post put patch", /^\/(diffpatch|branch_protections)(\/|$)/],
  ["post patch delete", /^\/tag_protections(\/|$)/],
  ["post", /^\/(mirror-sync|push_mirrors-sync)$/],
  ["post delete", /^\/push_mirrors(\/|$)/],
  ["post", /^\/actions\/workflows\/\{\w+\}\/dispatches$/],
];

const repositoryPath = /^\/repos\/\{owner\}\/\{repo\}/;

/** Whether an operation is one that archived repositories refuse. */
export function refusesArchived(method: string, path: string): boolean {
  if (!repositoryPath.test(path)) return false;
  const below = path.replace(repositoryPath, "");
  return refused.some(([methods, pattern]) => methods.split(" ").includes(method) && pattern.test(below));
}
