import type { Actor } from "../actor.ts";
import { branchProtectionRenameWrites } from "../branch-protection/branch-protection.ts";
import { defined } from "../defined.ts";
import { type OutboxEntry, outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { Ruling, Verdict } from "../git/refs/check-changes.ts";
import { branchPrefix, isTextName } from "../git/refs/ref-name.ts";
import { commitPush } from "../git/store/push/commit-push.ts";
import type { PushFacts, PushOutcome, PushRequest } from "../git/store/push/push.ts";
import type { RefSnapshot } from "../git/store/refs/snapshot.ts";
import { repositoryEvent } from "../hook/events.ts";
import type { PushedRequest, RequestPush } from "../pull/by-push/request-push.ts";
import { isRequestRef } from "../pull/by-push/request-ref.ts";
import type { Followers } from "../pull/follow/branch-move.ts";
import { followPushAtOnce } from "../pull/follow/follow-push.ts";
import { renamedBranchWrites } from "../pull/follow/renamed-branch.ts";
import { packUsageWrites } from "../quota/card-usage.ts";
import { followTagsAtOnce } from "../release/follow-at-once.ts";
import { equals } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { type CodePusher, findCodePusher } from "./code-pusher.ts";
import { applyPushOptions } from "./internal/push-settings.ts";
import { type GuardedPush, judgeByRules, refVerdict } from "./judge-refs.ts";
import { repositoryDelta } from "./listing/index-writes.ts";
import { type Repository, repositoryKey } from "./repository.table.ts";

/** The pushed refs; the noun decides about the pusher and the writes beside them. */
export type PushedRefs = Pick<PushRequest, "changes" | "isAtomic" | "pack" | "source" | "budgetMs">;

/** A branch that is renamed, by full names: the default branch stays the default. */
export interface BranchRename {
  readonly from: string;
  readonly to: string;
}

/** The merge of a pull request: its own rules stand in the place of those on pushed branches. */
export interface MergePush {
  /** The verdict on the merge, from fresh reads: asked for anew after every lost race. */
  judge(repository: Repository, snapshot: RefSnapshot): Promise<Verdict>;
  /** The writes about the request, for the transaction that moves the branch. */
  writes(repository: Repository): Promise<readonly Write[]>;
}

/** What lands together with a tag that the service makes or deletes. */
export interface TagPush {
  /** The unit whose writers may do so; code when absent. */
  readonly unit?: "releases";
  /** The writes about it, for the transaction that moves the tag: asked for anew after every lost race. */
  writes(): Promise<readonly Write[]>;
}

/** What a push by the service may be beside moving refs. */
export interface PushPurpose {
  readonly rename?: BranchRename;
  readonly merge?: MergePush;
  readonly tag?: TagPush;
}

/** The meaning of a push beside git: what the engine asks while it lands one, and what follows the commit. */
export interface PushRules extends Required<Pick<PushRequest, "judge" | "chooseHead" | "extraWrites">> {
  /** Sends the transaction's events, lets open pull requests follow, and applies push options. */
  afterPush(facts: PushFacts): Promise<AfterPush>;
}

/** What the pusher is told. */
export interface AfterPush {
  readonly lines: readonly string[];
  /** The open pull requests that followed. */
  readonly followers: readonly Followers[];
  /** The pull request that a push to `refs/for` made or moved. */
  readonly request?: PushedRequest;
}

/**
 * The rules of one push of `actor`: which refs may move, the size and time on the card, the default branch of a
 * repository that was empty, the event. Each attempt checks the pusher, their rights and archiving again, because a
 * push may take longer than they last; a pusher without rights has the refs refused.
 */
export function repositoryPushRules(
  forge: Forge,
  { id, ownerId }: Pick<Repository, "id" | "ownerId">,
  actor: Actor,
  { rename, merge, tag }: PushPurpose = {},
): PushRules {
  let judged: CodePusher | undefined;
  let request: RequestPush | undefined;
  return {
    async judge(snapshot, changes, options, objects) {
      const pusher = await findCodePusher(forge, actor, { id, ownerId }, changes, tag?.unit);
      if (typeof pusher === "string") return changes.map(() => pusher);
      const { access, isGuest } = pusher;
      const closed = closedText(access.repository);
      if (closed !== undefined) return changes.map(() => closed);
      judged = pusher;
      if (merge !== undefined && !isGuest) {
        const verdict = await merge.judge(access.repository, snapshot);
        return changes.map(() => verdict);
      }
      const ruled = await judgeRefs(forge, actor, pusher, { changes, snapshot, objects, rename });
      const asking = isGuest ? undefined : changes.find(({ name }) => isRequestRef(name));
      if (asking === undefined) return ruled;
      request ??= await newRequestPush(forge, id, actor);
      const ruling = await request.judge({ access, snapshot, change: asking, options, objects });
      return ruled.map((one, at) => (changes[at] === asking ? ruling : one));
    },
    chooseHead: (facts) => (rename?.from === facts.before.root.head ? rename.to : chooseHead(facts)),
    async extraWrites(facts) {
      if (judged === undefined) throw new Error(`push to repository ${id} was not judged`);
      const { access, checks } = judged;
      const following = rename === undefined ? [] : await renameWrites(forge, id, shortNames(rename));
      const own = [...pushWrites(access.repository, facts), pushEvent(forge, facts, actor, rename).write];
      const beside = (await merge?.writes(access.repository)) ?? (await tag?.writes()) ?? [];
      const asked = (await request?.writes(access, facts)) ?? [];
      return [...own, ...following, ...beside, ...asked, ...checks];
    },
    async afterPush(facts) {
      await send(forge, [pushEvent(forge, facts, actor, rename)]);
      const followers = await followRefsAtOnce(forge, actor, facts, rename);
      if (judged === undefined) return { lines: [], followers };
      const made = await request?.follow(judged.access, facts);
      const lines = await applyPushOptions(forge, actor, judged.access, facts.pushOptions);
      return { lines, followers, ...defined({ request: made }) };
    },
  };
}

/** What the pusher's rights and the rules on refs say of each change, in order. */
function judgeRefs(
  forge: Forge,
  actor: Actor,
  { access: { repository }, isGuest, verdicts }: CodePusher,
  pushed: Pick<GuardedPush, "changes" | "snapshot" | "objects" | "rename">,
): Promise<readonly Ruling[]> {
  const { changes, snapshot, rename } = pushed;
  const byName = changes.map((change, at) => refVerdict(snapshot, change, rename) ?? verdicts[at]);
  return judgeByRules(forge, { ...pushed, repository, actor, isGuest }, byName);
}

/** Lets open pull requests and releases follow the refs that moved. */
async function followRefsAtOnce(
  forge: Forge,
  actor: Actor,
  { repositoryId, changes }: PushFacts,
  rename: BranchRename | undefined,
): Promise<readonly Followers[]> {
  const pushed = { repositoryId, changes, renamed: rename && shortNames(rename) };
  const followers = await followPushAtOnce(forge, pushed, actor);
  await followTagsAtOnce(forge, repositoryId, changes);
  return followers;
}

/** Why nobody may push here, whatever their rights; undefined when they may. */
export function closedText({ isMirror, isMigrating }: Pick<Repository, "isMirror" | "isMigrating">): Verdict {
  if (isMigrating === true) return "the repository is being brought here: it takes no pushes yet";
  return isMirror ? "the repository is a mirror: it takes no pushes" : undefined;
}

/** Few pushes ask for a pull request. */
async function newRequestPush(forge: Forge, repositoryId: number, actor: Actor): Promise<RequestPush> {
  const { RequestPush } = await import("../pull/by-push/request-push.ts");
  return new RequestPush(forge, repositoryId, actor);
}

/** What stands under the name of a branch elsewhere. */
const renameWrites = async (forge: Forge, id: number, names: BranchRename): Promise<Write[]> => [
  ...(await branchProtectionRenameWrites(forge, id, names)),
  ...renamedBranchWrites(id, names),
];

const shortNames = ({ from, to }: BranchRename): BranchRename => ({
  from: from.slice(branchPrefix.length),
  to: to.slice(branchPrefix.length),
});

/** Moves refs of a repository, with everything that a push means beside git. */
export async function pushToRepository(
  forge: Forge,
  repository: Pick<Repository, "id" | "ownerId">,
  actor: Actor,
  refs: PushedRefs,
  purpose?: PushPurpose,
): Promise<PushOutcome> {
  const rules = repositoryPushRules(forge, repository, actor, purpose);
  const outcome = await commitPush(forge, repository.id, { ...refs, ...rules, pusherId: actor.user.id });
  if (outcome.kind === "done" && outcome.facts !== undefined) await rules.afterPush(outcome.facts);
  return outcome;
}

/**
 * The outbox entry for a push: one, however many refs moved, and the same however often it is asked for. An attempt
 * whose answer was lost may be the one that landed: its own item reports it once.
 */
export const pushEvent = (forge: Forge, facts: PushFacts, actor: Actor, rename?: BranchRename): OutboxEntry =>
  outbox(
    forge,
    "repository-events",
    repositoryEvent({
      kind: "push",
      repositoryId: facts.repositoryId,
      actorId: facts.pusherId,
      at: facts.timeMs,
      version: facts.after.root.v,
      ...(actor.grant?.isPublicOnly === true ? { isPublicOnly: true } : {}),
      ...defined({ renamed: rename && shortNames(rename) }),
    }),
    { eventId: facts.pushId, atMs: facts.timeMs },
  );

const usualNames = ["refs/heads/main", "refs/heads/master"];

/**
 * The first branches of a repository: one of them becomes the default when the planned one is missing. A branch whose
 * name is no text can't: the name is one of the repository's settings.
 */
export function chooseHead({ before, after, changes }: PushFacts): string | undefined {
  if (before.root.branches > 0 || after.refs.find(before.root.head) !== undefined) return undefined;
  const branches = changes
    .map(({ name }) => name)
    .filter((name) => name.startsWith(branchPrefix) && isTextName(name));
  return branches.find((name) => usualNames.includes(name)) ?? branches[0];
}

/** The writes of a push beside git: size and time on the card, the default branch of a repository that was empty. */
export function pushWrites(
  repository: Repository,
  { before, after, timeMs, grownBytes }: PushFacts,
): Write[] {
  const { id, v } = repository;
  const usage = packUsageWrites(repository, grownBytes, { pushedAt: Math.floor(timeMs / 1000) });
  const isFirst = before.root.branches === 0 && after.root.branches > 0;
  if (!isFirst && before.root.head === after.root.head) return usage;
  const changed = { isEmpty: false, defaultBranch: after.root.head.slice(branchPrefix.length), v: v + 1 };
  return [
    ...usage,
    update(repositoryKey(id), { set: changed }, equals({ v, state: "live" })),
    repositoryDelta({ ...repository, ...changed }),
  ];
}
