import type { Rights } from "../../access/modes.ts";
import { isRepositoryAdmin } from "../../access/modes.ts";
import { isPublic } from "../../access/public-only.ts";
import type { Actor } from "../../actor.ts";
import { findBlockers } from "../../block/block.ts";
import type { Forge } from "../../forge.ts";
import type { Repository } from "../../repository/repository.table.ts";
import { keyText } from "../../table/write.ts";
import { type Issue, issueKey } from "../issue.table.ts";
import { accessLoader } from "../placed-issues.ts";
import type { NamedIssue } from "../references/named-issues.ts";
import type { WrittenText } from "../references/written-text.ts";
import { isIssueReadable } from "../rights.ts";

/** An issue or pull that a text refers to, and the rights of the text's author there, if they were read. */
export interface Target extends Pick<NamedIssue, "action"> {
  readonly issue: Issue;
  readonly rights: Rights | undefined;
}

/** The author of a text: undefined once they are gone. */
interface Writer {
  readonly actor: Actor | undefined;
  readonly written: Pick<WrittenText, "isPublicOnly" | "userId">;
}

/**
 * The issues and pulls named by a text that learn of it: those of its own repository, and those elsewhere that its
 * author may read (semantics §20.2); not those whose author or repository owner blocks the text's author.
 */
export async function findTargets(
  forge: Forge,
  home: Repository,
  named: readonly NamedIssue[],
  { actor, written }: Writer,
): Promise<Target[]> {
  const loader = accessLoader(forge, actor);
  const keyOf = ({ repositoryId, number }: NamedIssue) => issueKey(repositoryId, number);
  const isHome = ({ repositoryId }: NamedIssue) => repositoryId === home.id;
  const [found, accesses] = await Promise.all([
    forge.table.getAll<Issue>(named.map(keyOf)),
    Promise.all(
      named.map((one) =>
        isHome(one) || actor === undefined ? undefined : loader.accessTo(one.repositoryId),
      ),
    ),
  ]);
  const placed = named.flatMap((one, place) => {
    const [issue, access] = [found.get(keyText(keyOf(one))), accesses[place]];
    const repository = isHome(one) ? home : access?.repository;
    if (issue === undefined || repository === undefined) return [];
    if (!isHome(one)) {
      if (access === undefined || !isIssueReadable(access.rights, issue.kind)) return [];
      if (written.isPublicOnly && !isPublic(access)) return [];
    }
    return [{ issue, action: one.action, rights: access?.rights, ownerId: repository.ownerId }];
  });
  const others = placed.flatMap(({ ownerId, issue }) => [ownerId, issue.authorId]);
  const blockers = await findBlockers(
    forge,
    [...new Set(others)].filter((id) => id !== written.userId),
    written.userId,
  );
  if (blockers.size === 0) return placed;
  const isFree = await Promise.all(
    placed.map(async ({ issue, ownerId, rights }) => {
      if (!blockers.has(ownerId) && !blockers.has(issue.authorId)) return true;
      const theirs = rights ?? (await loader.accessTo(issue.repositoryId))?.rights;
      return theirs !== undefined && isRepositoryAdmin(theirs);
    }),
  );
  return placed.filter((_, place) => isFree[place]);
}
