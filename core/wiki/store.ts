import { grantChecks } from "../access/grants.ts";
import type { FoundAccess } from "../access/repository-access.ts";
import type { Actor } from "../actor.ts";
import { branchNameProblem } from "../branch/name.ts";
import { landChanges } from "../code/land.ts";
import { type Code, openCode } from "../code/open.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { type OutboxEntry, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { NewPack } from "../git/pack/new-pack.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { commitPush } from "../git/store/push/commit-push.ts";
import type { PushFacts, PushOutcome } from "../git/store/push/push.ts";
import { changeRoot, newRoot } from "../git/store/store.ts";
import { nextId } from "../ids.ts";
import { refVerdict } from "../repository/judge-refs.ts";
import { repositoryDelta } from "../repository/listing/index-writes.ts";
import { type BranchRename, chooseHead, type PushRules, pushEvent } from "../repository/push.ts";
import { findPushableRepository } from "../repository/pusher.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check, update, type Write } from "../table/write.ts";

const mostAttempts = 10;

/** The branch of a wiki's pages. */
const branchOf = ({ config }: Pick<Forge, "config">, { wikiBranch }: Repository): string =>
  wikiBranch ?? config.defaultBranch;

/** The git data of a wiki; undefined before its first write. */
export async function findWiki(
  forge: Forge,
  { wikiId }: Repository,
  signal?: AbortSignal,
): Promise<Code | undefined> {
  return wikiId === undefined ? undefined : openCode(forge, wikiId, signal);
}

/**
 * The repository with a place for its wiki, made now when there is none: empty, and named by the repository's item in
 * the same transaction. NotFound when the repository was deleted meanwhile.
 */
export async function withWiki(
  forge: Forge,
  repository: Repository,
): Promise<Repository & { readonly wikiId: number }> {
  let current = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    const { id, objectFormat, v, wikiId } = current;
    if (wikiId !== undefined) return { ...current, wikiId };
    const wikiBranch = branchOf(forge, current);
    const made = { wikiId: await nextId(forge.table, "repository"), wikiBranch, v: v + 1 };
    const { committed } = await forge.table.transact([
      newRoot(made.wikiId, { format: objectFormat, defaultBranch: wikiBranch }),
      update(repositoryKey(id), { set: made }, equals({ v, state: "live" })),
      repositoryDelta({ ...current, ...made }),
    ]);
    if (committed) return { ...current, ...made };
    current = await latest(forge, current);
  }
  throw conflict("the repository is being changed by others; try again");
}

/**
 * The rules of one push of `actor` to a wiki: each attempt checks its unit's rights and archiving again, and the
 * repository exists when it lands. Sizes of wikis are not counted (D-QUOTA-WIKI).
 */
export function wikiPushRules(
  forge: Forge,
  place: Pick<Repository, "id" | "ownerId">,
  actor: Actor,
  { event, writes, rename }: Alongside = { writes: [] },
): PushRules {
  let judged: FoundAccess | undefined;
  const events = (facts: PushFacts) => [
    pushEvent(forge, facts, actor),
    ...(event === undefined ? [] : [event]),
  ];
  return {
    async judge(snapshot, changes) {
      const allowed = await findPushableRepository(forge, actor, place, "wiki");
      if (typeof allowed === "string") return changes.map(() => allowed);
      judged = allowed;
      return changes.map((change) => refVerdict(snapshot, change, rename));
    },
    chooseHead: (facts) => rename?.to ?? chooseHead(facts),
    extraWrites(facts) {
      if (judged === undefined) throw new Error(`push to wiki ${facts.repositoryId} was not judged`);
      const { repository, grants } = judged;
      const own = [...wikiHeadWrites(repository, facts), ...events(facts).map(({ write }) => write)];
      return [...own, ...writes, ...grantChecks(grants)];
    },
    async afterPush(facts) {
      await send(forge, events(facts));
      return { lines: [], followers: [] };
    },
  };
}

/** Checks that the repository's item names the wiki's branch, and that it is the one that was judged. */
export function wikiHeadWrites(repository: Repository, { after }: PushFacts): Write[] {
  const { id, v, wikiBranch } = repository;
  const branch = after.root.head.slice(branchPrefix.length);
  const wikiId = after.root.repositoryId;
  if (branch === wikiBranch)
    return [check(repositoryKey(id), equals({ state: "live", wikiId, isArchived: false }))];
  const changed = { wikiBranch: branch, v: v + 1 };
  return [
    update(repositoryKey(id), { set: changed }, equals({ v, state: "live", wikiId })),
    repositoryDelta({ ...repository, ...changed }),
  ];
}

/** An event of a push, and further writes of its transaction. */
interface Alongside {
  readonly event?: OutboxEntry;
  /** The branch of the pages goes on under another name. */
  readonly rename?: BranchRename;
  readonly writes: readonly Write[];
}

/** A change of a wiki's refs. */
interface WikiPush {
  readonly changes: readonly RefChange[];
  readonly pack?: NewPack;
  readonly alongside?: Alongside;
}

/** Moves refs of a wiki like a push of the actor, all or none. Answers false when one had moved since it was read. */
export async function pushToWiki(
  forge: Forge,
  repository: Repository & { readonly wikiId: number },
  actor: Actor,
  { changes, pack, alongside }: WikiPush,
): Promise<boolean> {
  const { wikiId } = repository;
  const landed = await landChanges(forge, wikiId, changes, async (): Promise<PushOutcome> => {
    const rules = wikiPushRules(forge, repository, actor, alongside);
    const request = { changes, isAtomic: true, source: "create", pusherId: actor.user.id } as const;
    const outcome = await commitPush(forge, wikiId, { ...request, ...defined({ pack }), ...rules });
    if (outcome.kind === "done" && outcome.facts !== undefined) await rules.afterPush(outcome.facts);
    return outcome;
  });
  return landed.kind === "landed";
}

/** Renames the branch of a wiki's pages. 422 for a name that git does not allow, or that is taken. */
export async function renameWikiBranch(
  forge: Forge,
  given: Repository,
  actor: Actor,
  name: string,
): Promise<Repository> {
  if (branchOf(forge, given) === name) return given;
  const problem = branchNameProblem(name, "WikiBranch");
  if (problem !== undefined) throw problem;
  const repository = await withWiki(forge, given);
  for await (const _attempt of attempts(mostAttempts)) {
    const { repository: git } = await openCode(forge, repository.wikiId);
    const rename = { from: git.head, to: branchPrefix + name };
    if (rename.from === rename.to) return latest(forge, repository);
    if (git.refs.find(rename.to) !== undefined) {
      throw unprocessable(`the wiki has a branch of this name already [name: ${name}]`);
    }
    const old = git.refs.find(rename.from);
    if (old === undefined) {
      if (await renameUnborn(forge, repository, name)) return latest(forge, repository);
      continue;
    }
    const changes = [
      { name: rename.from, old: old.id },
      { name: rename.to, new: old.id },
    ];
    const alongside = { rename, writes: [] };
    if (await pushToWiki(forge, repository, actor, { changes, alongside })) return latest(forge, repository);
  }
  throw conflict("others write to this wiki all the time: try again");
}

/** The same for a wiki without pages. False when it got some, or the repository was edited, meanwhile. */
async function renameUnborn(
  forge: Forge,
  repository: Repository & { readonly wikiId: number },
  wikiBranch: string,
): Promise<boolean> {
  const current = await latest(forge, repository);
  const changed = { wikiBranch, v: current.v + 1 };
  const { kind } = await changeRoot(forge, repository.wikiId, (root) =>
    root.branches > 0
      ? undefined
      : {
          changes: { head: branchPrefix + wikiBranch },
          extraWrites: [
            update(repositoryKey(current.id), { set: changed }, equals({ v: current.v, state: "live" })),
            repositoryDelta({ ...current, ...changed }),
          ],
        },
  );
  return kind === "done";
}

async function latest(forge: Forge, { id }: Repository): Promise<Repository> {
  const found = await forge.table.get<Repository>(repositoryKey(id));
  if (found?.state !== "live") throw notFound("the repository was deleted meanwhile");
  return found;
}
