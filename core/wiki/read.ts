import { readTogether } from "../code/commits.ts";
import { type Code, findCommit, isCodeEmpty, type NamedCommit } from "../code/open.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { canonicalMode, entryName, executableMode, fileMode } from "../git/format/tree.ts";
import type { IdentifiedCommit } from "../git/history/history.ts";
import { lastCommits } from "../git/history/last-commits.ts";
import { logIds } from "../git/history/log.ts";
import { readEntries } from "../git/history/read-entries.ts";
import { type PageRequest, rowsOfPage } from "../page.ts";
import type { Repository } from "../repository/repository.table.ts";
import { filesOf, titleOf, titleOfFile } from "./names.ts";
import { findWiki } from "./store.ts";

/** A page's file. */
export interface PageFile {
  readonly title: string;
  /** As git stores it: raw bytes, latin1. */
  readonly raw: string;
  readonly name: string;
  readonly id: ObjectId;
}

/** A page without its text. */
export interface WikiPageOverview extends Pick<PageFile, "title"> {
  /** The newest commit that changed it; absent when finding it would have taken too long. */
  readonly lastCommit: IdentifiedCommit | undefined;
}

/** A page. Texts are absent when they are too large to show. */
export interface WikiPage extends WikiPageOverview {
  readonly content: Buffer | undefined;
  readonly commitCount: number;
  /** The pages that are shown with every page. */
  readonly sidebar: Buffer | undefined;
  readonly footer: Buffer | undefined;
}

/** A wiki at its newest commit. */
export interface OpenWiki {
  readonly code: Code;
  readonly tip: NamedCommit;
  /** In the order of the tree. */
  readonly pages: readonly PageFile[];
  /** Everything at the top, folders and links too. */
  readonly names: ReadonlySet<string>;
}

/** A request's bounds. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
}

const largestPage = 10 * 2 ** 20;
/** What an entry of a wiki takes in memory. */
const entryBytes = 400;
/** No entry of a tree has fewer bytes. */
const leastEntry = 29;

/** The pages of a wiki; undefined before the first commit. */
export async function openPages(code: Code | undefined): Promise<OpenWiki | undefined> {
  if (code === undefined || isCodeEmpty(code)) return undefined;
  const tip = await findCommit(code, undefined);
  if (tip === undefined) return undefined;
  const { history } = code;
  const { tree } = await history.links(tip.id);
  await code.reserve(Math.ceil(history.treeSize(tree) / leastEntry) * entryBytes);
  const entries = await readEntries(history, tree);
  const pages: PageFile[] = [];
  const names = new Set<string>();
  for (const { path: raw, mode, id } of entries) {
    const name = entryName(raw);
    names.add(name);
    const isFile = [fileMode, executableMode].includes(canonicalMode(mode));
    const title = isFile ? titleOfFile(name) : undefined;
    if (title !== undefined) pages.push({ title, raw, name, id });
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  return { code, tip, pages, names };
}

/** The page of a name in an address: of those with its title, the one in a file of exactly this name first. */
function findPage({ pages }: Pick<OpenWiki, "pages">, name: string): PageFile | undefined {
  const title = titleOf(name);
  const files = filesOf(name);
  const rank = ({ name: file }: PageFile) => (files.includes(file) ? files.indexOf(file) : files.length);
  return pages.filter((page) => page.title === title).sort((a, b) => rank(a) - rank(b))[0];
}

async function getWiki(forge: Forge, repository: Repository, { signal }: ReadOptions): Promise<OpenWiki> {
  const wiki = await openPages(await findWiki(forge, repository, signal));
  if (wiki === undefined) throw notFound("the wiki has no page yet");
  return wiki;
}

/** One page of the list of pages, in the order of the tree, and their number. NotFound before the first commit. */
export async function listWikiPages(
  forge: Forge,
  repository: Repository,
  page: PageRequest,
  options: ReadOptions = {},
): Promise<{ items: WikiPageOverview[]; total: number }> {
  const wiki = await getWiki(forge, repository, options);
  const files = rowsOfPage(wiki.pages, page);
  const commits = await lastCommitsOf(wiki, files);
  const items = files.map(({ title, raw }) => ({ title, lastCommit: commits.get(raw) }));
  return { items, total: wiki.pages.length };
}

async function lastCommitsOf(
  { code, tip }: OpenWiki,
  files: readonly PageFile[],
): Promise<Map<string, IdentifiedCommit>> {
  if (files.length === 0) return new Map();
  const last = await lastCommits(code.history, tip.id, "", { names: files.map(({ raw }) => raw) });
  const ids = last?.commits ?? new Map<string, ObjectId>();
  const read = await readTogether(code, [...new Set(ids.values())]);
  const commits = new Map(read.map((one) => [one.id, one]));
  return new Map(
    [...ids].flatMap(([raw, id]) => {
      const commit = commits.get(id);
      return commit === undefined ? [] : [[raw, commit] as const];
    }),
  );
}

/** The page of this name. NotFound when there is none. */
export async function getWikiPage(
  forge: Forge,
  repository: Repository,
  name: string,
  options: ReadOptions = {},
): Promise<WikiPage> {
  const wiki = await getWiki(forge, repository, options);
  return readPage(wiki, requirePage(wiki, name));
}

/** The same; NotFound when there is none. */
export function requirePage(wiki: OpenWiki | undefined, name: string): PageFile {
  const file = wiki === undefined ? undefined : findPage(wiki, name);
  if (file === undefined) throw notFound(`there is no such page [name: ${name}]`);
  return file;
}

async function readPage(wiki: OpenWiki, file: PageFile): Promise<WikiPage> {
  const { code } = wiki;
  const { commits, total } = await commitsOf(wiki, file, { page: 1, limit: 1 });
  return {
    title: file.title,
    lastCommit: commits[0],
    commitCount: total,
    content: await textOf(code, file),
    sidebar: await textOf(code, findPage(wiki, "_Sidebar")),
    footer: await textOf(code, findPage(wiki, "_Footer")),
  };
}

async function textOf({ history }: Code, file: PageFile | undefined): Promise<Buffer | undefined> {
  if (file === undefined || history.sizeOf(file.id) > largestPage) return undefined;
  return (await history.object(file.id)).data;
}

/** Commits that changed a page, newest first, and their number. NotFound when there is no such page. */
export async function listWikiRevisions(
  forge: Forge,
  repository: Repository,
  name: string,
  page: PageRequest,
  options: ReadOptions = {},
): Promise<{ items: readonly IdentifiedCommit[]; total: number }> {
  const wiki = await getWiki(forge, repository, options);
  const { commits, total } = await commitsOf(wiki, requirePage(wiki, name), page);
  return { items: commits, total };
}

async function commitsOf({ code, tip }: OpenWiki, { raw }: PageFile, { page, limit }: PageRequest) {
  const request = { tips: [tip.id], paths: [raw], skip: (page - 1) * limit, limit, countAll: true };
  const { ids, total = ids.length } = await logIds(code.history, request);
  return { commits: await readTogether(code, ids), total };
}
