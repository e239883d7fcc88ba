import { authorshipOf } from "../../code/authorship.ts";
import { conflict, ForgeError } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import type { Identity } from "../../git/format/identity.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { entryName } from "../../git/format/tree.ts";
import { logIds } from "../../git/history/log.ts";
import type { StyledOutcome } from "../../git/merge/merge-styles.ts";
import { findUsersByEmail } from "../../user/email.ts";
import { findUserById } from "../../user/find.ts";
import { ghostUser } from "../../user/system-users.ts";
import { mergeMessage, withCoAuthor } from "./message.ts";
import type { Merging } from "./protection.ts";
import type { StyledMerge } from "./wanted.ts";

/** Commits of the head among which the one that tells the author's name is looked for. */
const mostAuthored = 100;
const mostConflictsTold = 100;

/**
 * Makes the base's new tip, in the merging's history; undefined when the base has all of the head. Conflict with the
 * paths when the two don't fit together, or can't be fast-forwarded.
 */
export async function makeMerge(
  forge: Forge,
  merging: Merging,
  wanted: StyledMerge,
): Promise<ObjectId | undefined> {
  const { pull, code, baseId } = merging;
  const { mergeInStyle } = await import("../../git/merge/merge-styles.ts"); // merging is loaded where it is used
  const { author, committer } = await authorsOf(forge, merging, wanted);
  const message = await mergeMessage(forge, merging, wanted);
  const outcome = await mergeInStyle(code.history, wanted.style, {
    base: baseId,
    head: pull.pull.headId,
    names: { ours: pull.pull.base, theirs: pull.pull.head },
    author,
    committer,
    message: wanted.style === "squash" ? withCoAuthor(message, author, committer) : message,
  });
  if (outcome.kind === "done") return outcome.tip === baseId ? undefined : outcome.tip;
  if (outcome.kind === "up-to-date") return undefined;
  throw refusalOf(outcome, wanted);
}

type Failed = Exclude<StyledOutcome, { kind: "done" | "up-to-date" }>;

/** The family's clients read these members (semantics §22.4). */
function refusalOf(outcome: Failed, { style }: StyledMerge): ForgeError {
  if (outcome.kind === "diverged")
    return conflict("the base has commits of its own: no fast-forward is possible");
  if (outcome.kind === "too-many")
    return conflict("the head has too many commits to repeat: merge it in another way");
  const paths =
    outcome.kind === "conflict"
      ? [...new Set(outcome.conflicts.map(({ path }) => entryName(path)))].slice(0, mostConflictsTold)
      : [];
  const text =
    outcome.kind === "unrelated"
      ? "base and head have no common history"
      : `base and head conflict in ${paths.join(", ")}`;
  const told = {
    Style: style,
    StdOut: paths.map((path) => `CONFLICT: ${path}\n`).join(""),
    StdErr: "",
    Err: text,
  };
  const commit = outcome.kind === "conflict" ? outcome.commit : undefined;
  return new ForgeError("conflict", text, {
    details: commit === undefined ? told : { ...told, CommitSHA: commit },
  });
}

/** The merging user is the committer; a squashed commit has the request's author (semantics §22.2). */
async function authorsOf(
  forge: Forge,
  merging: Merging,
  { style }: StyledMerge,
): Promise<{ readonly author: Identity; readonly committer: Identity }> {
  const { author, committer } = authorshipOf(forge, merging.actor, {});
  const { authorId } = merging.pull;
  if (style !== "squash" || authorId === merging.actor.user.id) return { author, committer };
  const user = (await findUserById(forge, authorId)) ?? ghostUser;
  const named = await nameInCommits(forge, merging, user.id);
  const own = authorshipOf(forge, { user }, {}).author;
  return { author: named === undefined ? own : { ...own, ...named }, committer };
}

/** The name and address under which a user wrote the head's commits. */
async function nameInCommits(
  forge: Forge,
  { pull, code: { history }, baseId, actor }: Merging,
  userId: number,
): Promise<Pick<Identity, "name" | "email"> | undefined> {
  const { ids } = await logIds(history, { tips: [pull.pull.headId], not: [baseId], limit: mostAuthored });
  const authors: Identity[] = [];
  for (const id of ids) authors.push((await history.commit(id)).commit.author);
  const emails = [...new Set(authors.map(({ email }) => email.toLowerCase()))];
  const users = await findUsersByEmail(forge, actor, emails);
  const found = authors.find(({ email }) => users.get(email.toLowerCase())?.id === userId);
  return found && { name: found.name, email: found.email };
}
