import type { Actor } from "../actor.ts";
import { authorshipOf } from "../code/authorship.ts";
import { openCode } from "../code/open.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { badRequest, conflict } from "../errors.ts";
import { type OutboxEntry, outbox } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { ObjectId } from "../git/format/object-format.ts";
import { entryPath, fileMode } from "../git/format/tree.ts";
import type { History } from "../git/history/history.ts";
import { packOfNew } from "../git/merge/new-objects.ts";
import { type NewCommit as CommitParts, writeCommit } from "../git/merge/write-commit.ts";
import { editTree } from "../git/merge/write-tree.ts";
import { eventDetail } from "../hook/event-detail.ts";
import { repositoryEvent, type WikiAction } from "../hook/events.ts";
import type { Repository } from "../repository/repository.table.ts";
import { bodyProblem } from "../text.ts";
import { fileNameOf, isReserved, titleOf, webNameOf } from "./names.ts";
import { getWikiPage, type OpenWiki, openPages, requirePage, type WikiPage } from "./read.ts";
import { pushToWiki, withWiki } from "./store.ts";

/** A page to write. An empty message stands for one that says what was done. */
export interface NewWikiPage {
  readonly title: string;
  readonly content: Buffer;
  readonly message: string;
}

const longestTitle = 255;
/** Longer ones can't be checked out on the usual file systems. */
const longestFileName = 255;

/** Makes a page. BadRequest when the title is empty, reserved, too long, or taken. */
export async function createWikiPage(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  { title: asked, content, message }: NewWikiPage,
): Promise<WikiPage> {
  const title = checkedTitle(asked);
  const name = fileNameOf(title);
  const pageChange = {
    action: "created",
    page: title,
    message: messageOr(message, `Add "${title}"`),
  } as const;
  const changed = await change(forge, repository, actor, pageChange, async (wiki) => {
    if (wiki !== undefined && isTaken(wiki, title)) throw titleTaken(title);
    return [{ raw: entryPath(name), content }];
  });
  return getWikiPage(forge, changed, webNameOf(title));
}

/**
 * Rewrites a page and, with another title, renames it. NotFound when there is none; BadRequest as in `createWikiPage`.
 */
export async function editWikiPage(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  pageName: string,
  { title: asked, content, message }: NewWikiPage,
): Promise<WikiPage> {
  const wanted = asked.trim() === "" ? undefined : checkedTitle(asked);
  const page = wanted ?? titleOf(pageName);
  const pageChange = { action: "edited", page, message: messageOr(message, `Update "${page}"`) } as const;
  const changed = await change(forge, repository, actor, pageChange, async (wiki) => {
    const { raw, title } = requirePage(wiki, pageName);
    if (wanted === undefined || wanted === title) return [{ raw, content }];
    const fresh = entryPath(fileNameOf(wanted));
    if (fresh !== raw && wiki !== undefined && isTaken(wiki, wanted)) throw titleTaken(wanted);
    return [{ raw }, { raw: fresh, content }];
  });
  return getWikiPage(forge, changed, wanted === undefined ? pageName : webNameOf(wanted));
}

/** One title, one page, also when files of two spellings would do; nor may a page replace a folder or a link. */
const isTaken = ({ pages, names }: OpenWiki, title: string): boolean =>
  names.has(fileNameOf(title)) || pages.some((page) => page.title === title);
const titleTaken = (title: string) => badRequest(`a page exists already [title: ${title}]`);

/** Removes a page. NotFound when there is none. */
export async function removeWikiPage(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  pageName: string,
): Promise<void> {
  const page = titleOf(pageName);
  const pageChange = { action: "deleted", page, message: `Delete page "${page}"` } as const;
  await change(forge, repository, actor, pageChange, async (wiki) => [
    { raw: requirePage(wiki, pageName).raw },
  ]);
}

function checkedTitle(asked: string): string {
  const title = Buffer.from(asked.trim()).toString();
  if (title === "") throw badRequest("a title is required");
  if (isReserved(title)) throw badRequest(`no page may be called ${title}`);
  if (title.includes("\0")) throw badRequest("a title may not hold NUL");
  if (title.length > longestTitle || fileNameOf(title).length > longestFileName) {
    throw badRequest(
      `a title may have at most ${longestTitle} characters, those that are escaped counted thrice`,
    );
  }
  return title;
}

function messageOr(message: string, usual: string): string {
  const problem = bodyProblem("Message", message);
  if (problem !== undefined) throw problem;
  return message.trim() || usual;
}

/** A file to write, by its name as git stores it; without content it is removed. */
interface FileEdit {
  readonly raw: string;
  readonly content?: Buffer;
}

/** The change, for the commit and for hooks. */
interface PageChange {
  readonly action: WikiAction;
  readonly page: string;
  readonly message: string;
}

/** Commits edits of a wiki, which is read anew after every lost race. Answers the repository with the wiki's place. */
async function change(
  forge: Forge,
  given: Repository,
  actor: Actor,
  pageChange: PageChange,
  editsOf: (wiki: OpenWiki | undefined) => Promise<readonly FileEdit[]>,
): Promise<Repository> {
  // Faults are reported before a place is made for the wiki.
  if (given.wikiId === undefined) await editsOf(undefined);
  const repository = await withWiki(forge, given);
  const event = eventOf(forge, repository.id, actor, pageChange.action);
  const detail = eventDetail(forge, event.message.eventId, {
    title: pageChange.page,
    body: pageChange.message,
  });
  for await (const _attempt of attempts()) {
    const code = await openCode(forge, repository.wikiId);
    const { history, repository: git } = code;
    const wiki = await openPages(code);
    const old = wiki?.tip.id;
    const id = await commit(history, old, await editsOf(wiki), {
      ...authorshipOf(forge, actor, {}),
      message: `${pageChange.message}\n`,
    });
    const changes = [{ name: git.head, ...defined({ old }), new: id }];
    const alongside = { event, writes: [detail] };
    if (
      await pushToWiki(forge, repository, actor, { changes, pack: await packOfNew(history, [id]), alongside })
    ) {
      return repository;
    }
  }
  throw conflict("others write to this wiki all the time: try again");
}

const eventOf = (forge: Forge, repositoryId: number, actor: Actor, action: WikiAction): OutboxEntry =>
  outbox(
    forge,
    "repository-events",
    repositoryEvent({ kind: "wiki", action, repositoryId, actorId: actor.user.id, at: forge.clock.now() }),
  );

async function commit(
  history: History,
  old: ObjectId | undefined,
  edits: readonly FileEdit[],
  rest: Pick<CommitParts, "author" | "committer" | "message">,
): Promise<ObjectId> {
  const base = old === undefined ? undefined : (await history.links(old)).tree;
  const versions = new Map(
    edits.map(({ raw, content }) => [
      raw,
      content === undefined ? undefined : { mode: fileMode, id: history.add("blob", content) },
    ]),
  );
  const tree = await editTree(history, base, versions);
  return writeCommit(history, { tree, parents: old === undefined ? [] : [old], ...rest });
}
