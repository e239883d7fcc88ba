import { findContentsAt } from "../../code/contents.ts";
import { type Code, findCommit } from "../../code/open.ts";
import type { Forge } from "../../forge.ts";
import type { Identity } from "../../git/format/identity.ts";
import { formatIdentity } from "../../git/format/identity.ts";
import { directoryMode, gitlinkMode } from "../../git/format/tree.ts";
import { ownerKey } from "../../owner/owner.table.ts";
import type { Owner } from "../../owner/owner.ts";
import { type TextReferences, textReferencesKey } from "../../reference/reference.table.ts";
import { type Repository, repositoryKey } from "../../repository/repository.table.ts";
import { findUserById } from "../../user/find.ts";
import { isForEverybody } from "../head/keep-head.ts";
import { findHeadName, headNameOf } from "../head/pushed-head.ts";
import type { PullRequest } from "../pull.table.ts";
import type { Merging } from "./protection.ts";
import type { StyledMerge } from "./wanted.ts";

/** Larger files are no templates. */
const largestTemplate = 64 * 1024;
/** A message made of a template ends here: it may name long texts many times (D-TEXT). */
const longestMessage = 65_536;

/**
 * The message of the commit that merges a request: title and text as given; else those of the template on the default
 * branch, or the usual title (semantics §22.2).
 */
export async function mergeMessage(forge: Forge, merging: Merging, wanted: StyledMerge): Promise<string> {
  const [title = "", message = ""] = [wanted.title?.trim(), wanted.message?.trim()];
  if (title !== "") return joined(title, message);
  const template = await findTemplate(merging.code, wanted.style);
  if (template === undefined) return joined(await usualTitle(forge, merging, wanted), message);
  const expanded = expand(template, await variablesOf(forge, merging));
  const end = expanded.indexOf("\n");
  const first = end < 0 ? expanded : expanded.slice(0, end);
  const rest = end < 0 ? "" : expanded.slice(end).trim();
  return joined(first.trim(), message === "" ? rest : message);
}

const joined = (title: string, text: string): string => (text === "" ? title : `${title}\n\n${text}`);

/** The message with the lines that name the author of a commit who did not commit it. */
export function withCoAuthor(message: string, author: Identity, committer: Identity): string {
  const [name, committed] = [shown(author), shown(committer)];
  if (name === committed) return message;
  const line = `Co-authored-by: ${name}`;
  const authored = message.includes(line) ? "" : `${line}\n`;
  return `${message.trimEnd()}\n\n${authored}Co-committed-by: ${name}\n`;
}

const shown = (identity: Identity): string => formatIdentity(identity).replace(/> .*$/s, ">");

async function usualTitle(forge: Forge, { pull }: Merging, { style }: StyledMerge): Promise<string> {
  const { title, number } = pull;
  if (style === "squash") return `${title} (#${number})`;
  const { owner, repository } = await headNames(forge, pull);
  const isElsewhere = pull.pull.headRepositoryId !== pull.repositoryId && owner !== "";
  const head = await findHeadName(forge, pull);
  const from = isElsewhere ? `${owner}/${repository}:${head}` : head;
  return `Merge pull request '${title}' (#${number}) from ${from} into ${pull.pull.base}`;
}

/** The names of the head's repository; empty when it is gone, or not for everybody: commits are for all readers. */
async function headNames(
  forge: Forge,
  { repositoryId, pull: { headRepositoryId } }: PullRequest,
): Promise<{ readonly owner: string; readonly repository: string }> {
  const none = { owner: "", repository: "" };
  if (headRepositoryId !== repositoryId && !(await isForEverybody(forge, headRepositoryId))) return none;
  const repository = await forge.table.get<Repository>(repositoryKey(headRepositoryId));
  if (repository === undefined) return none;
  const owner = await forge.table.get<Owner>(ownerKey(repository.ownerId));
  return owner === undefined ? none : { owner: owner.name, repository: repository.name };
}

async function findTemplate(code: Code, style: StyledMerge["style"]): Promise<string | undefined> {
  const commit = await findCommit(code, undefined);
  if (commit === undefined) return undefined;
  for (const folder of [".forgejo", ".gitea"]) {
    const path = `${folder}/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`;
    const found = await findContentsAt(code, commit.id, path);
    if (found === undefined || found.mode === directoryMode || found.mode === gitlinkMode) continue;
    if (code.history.sizeOf(found.id) > largestTemplate) continue;
    const { data } = await code.history.object(found.id);
    const text = data.toString("utf8").trim();
    if (text !== "") return text;
  }
  return undefined;
}

async function variablesOf(forge: Forge, { access, pull }: Merging): Promise<ReadonlyMap<string, string>> {
  const head = await headNames(forge, pull);
  const poster = await findUserById(forge, pull.authorId);
  return new Map([
    ["BaseRepoOwnerName", access.owner.name],
    ["BaseRepoName", access.repository.name],
    ["BaseBranch", pull.pull.base],
    ["HeadRepoOwnerName", head.owner],
    ["HeadRepoName", head.repository],
    ["HeadBranch", headNameOf(pull.pull, poster?.name ?? "")],
    ["PullRequestTitle", pull.title],
    ["PullRequestDescription", pull.body],
    ["PullRequestPosterName", poster?.name ?? ""],
    ["PullRequestIndex", String(pull.number)],
    ["PullRequestReference", `#${pull.number}`],
    ["ClosingIssues", await closingIssues(forge, pull)],
  ]);
}

async function closingIssues({ table }: Forge, { repositoryId, number }: PullRequest): Promise<string> {
  const known = await table.get<TextReferences>(textReferencesKey({ repositoryId, number, commentId: 0 }));
  const closed = (known?.references ?? []).filter(
    (one) => one.action === "closes" && one.repositoryId === repositoryId,
  );
  return closed.map((one) => `close #${one.number}`).join(", ");
}

/** Replaces `$Name` and `${Name}`; unknown ones become nothing. */
function expand(template: string, variables: ReadonlyMap<string, string>): string {
  let left = longestMessage - template.length;
  const expanded = template.replace(/\$\{(\w+)\}|\$(\w+)/g, (_all, braced, bare) => {
    const value = (variables.get(braced ?? bare) ?? "").slice(0, Math.max(0, left));
    left -= value.length;
    return value;
  });
  return expanded.slice(0, longestMessage);
}
