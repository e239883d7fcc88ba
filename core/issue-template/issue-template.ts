import { findContentsAt } from "../code/contents.ts";
import { type ListedEntry, listTree } from "../code/list-tree.ts";
import { type Code, findCommit, openCode } from "../code/open.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { directoryMode, gitlinkMode, symlinkMode } from "../git/format/tree.ts";
import type { IssueConfig } from "./internal/config-file.ts";
import { readIssueConfig, readTemplate } from "./read-tasks.ts";
import type { IssueTemplate } from "./template-file.ts";

const folderNames = ["ISSUE_TEMPLATE", "issue_template"];
const templateFolders = ["", ".forgejo/", ".gitea/", ".github/", ".gitlab/"].flatMap((place) =>
  folderNames.map((name) => `${place}${name}`),
);
const configFiles = [".forgejo/", ".gitea/", ".github/"].flatMap((place) =>
  folderNames.flatMap((name) => [`${place}${name}/config.yaml`, `${place}${name}/config.yml`]),
);

/** That of repositories without such a file. */
const plainConfig: IssueConfig = { allowsBlank: true, links: [] };

/** The most files that are looked at in one folder; larger files, and files past the bound of all, are skipped. */
const mostFiles = 100;
const mostFileBytes = 64 * 1024;
const mostBytesTogether = 1024 * 1024;

/** The templates in a repository's default branch, by folder and name; invalid ones are left out (semantics §52). */
export async function listIssueTemplates(
  forge: Forge,
  repositoryId: number,
  signal?: AbortSignal,
): Promise<IssueTemplate[]> {
  const opened = await openDefault(forge, repositoryId, signal);
  if (opened === undefined) return [];
  const templates: IssueTemplate[] = [];
  let left = mostBytesTogether;
  for (const folder of templateFolders) {
    for (const { path, id, size } of await filesIn(opened, folder)) {
      const isForm = /\.ya?ml$/i.test(path);
      if (!(isForm || /\.md$/i.test(path)) || /^config\.ya?ml$/i.test(path)) continue;
      if (size > Math.min(left, mostFileBytes)) continue;
      left -= size;
      const text = await textOf(opened.code, id);
      const template = await readTemplate(forge.compute, { path: `${folder}/${path}`, text, isForm });
      if (template !== undefined) templates.push(template);
    }
  }
  return templates;
}

/** The issue configuration of the first file; the default when there is none, or it is not valid. */
export async function getIssueConfig(
  forge: Forge,
  repositoryId: number,
  signal?: AbortSignal,
): Promise<IssueConfig> {
  const read = await findConfig(forge, repositoryId, signal);
  return "problem" in read ? plainConfig : read;
}

/** What is wrong with that file; undefined when nothing is, or there is none. */
export async function findIssueConfigProblem(
  forge: Forge,
  repositoryId: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const read = await findConfig(forge, repositoryId, signal);
  return "problem" in read ? read.problem : undefined;
}

async function findConfig(
  forge: Forge,
  repositoryId: number,
  signal: AbortSignal | undefined,
): Promise<IssueConfig | { readonly problem: string }> {
  const opened = await openDefault(forge, repositoryId, signal);
  if (opened === undefined) return plainConfig;
  const { code, commitId } = opened;
  for (const path of configFiles) {
    const found = await findContentsAt(code, commitId, path);
    if (found === undefined || !isFile(found.mode)) continue;
    if (code.history.sizeOf(found.id) > mostFileBytes) {
      return { problem: `${path} is larger than ${mostFileBytes} bytes` };
    }
    const read = await readIssueConfig(forge.compute, await textOf(code, found.id));
    return "problem" in read ? { problem: `${path}: ${read.problem}` } : read;
  }
  return plainConfig;
}

interface OpenDefault {
  readonly code: Code;
  readonly commitId: ObjectId;
}

/** The default branch; undefined before the first push to it. */
async function openDefault(
  forge: Forge,
  repositoryId: number,
  signal?: AbortSignal,
): Promise<OpenDefault | undefined> {
  const code = await openCode(forge, repositoryId, signal);
  const commit = await findCommit(code, undefined);
  return commit === undefined ? undefined : { code, commitId: commit.id };
}

async function filesIn({ code, commitId }: OpenDefault, folder: string): Promise<ListedEntry[]> {
  const found = await findContentsAt(code, commitId, folder);
  if (found?.mode !== directoryMode) return [];
  const range = { isRecursive: false, skip: 0, limit: mostFiles };
  const { entries } = await listTree(code.history, found.id, range);
  return entries.filter(({ mode }) => isFile(mode));
}

const isFile = (mode: number): boolean => ![directoryMode, gitlinkMode, symlinkMode].includes(mode);

async function textOf({ history }: Code, id: ObjectId): Promise<string> {
  const { data } = await history.object(id);
  return data.toString("utf8");
}
