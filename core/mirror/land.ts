import type { Actor } from "../actor.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import type { IngestedPack } from "../git/ingest/ingest-types.ts";
import { newPackOf } from "../git/ingest/take-pack.ts";
import type { RefResult } from "../git/refs/check-changes.ts";
import { commitPush } from "../git/store/push/commit-push.ts";
import type { PushFacts, PushRequest } from "../git/store/push/push.ts";
import { openRepository } from "../git/store/store.ts";
import { followPushAtOnce } from "../pull/follow/follow-push.ts";
import { followTagsAtOnce } from "../release/follow-at-once.ts";
import { chooseHead, pushEvent, pushWrites } from "../repository/push.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { mirrorChanges } from "./ref-changes.ts";
import { isFollowing } from "./source.ts";

/** The most refs that move in one push. */
const refsAtOnce = 10_000;

/** The refs of a remote, and its objects that are new here. */
export interface Fetched {
  readonly refs: RemoteRefs;
  readonly pack?: IngestedPack;
}

/** How fetched refs are taken over. */
export interface Landing {
  readonly prunes: boolean;
  /** Whose pushes these are. */
  readonly actor: Actor;
  /** The branch that the remote's HEAD named before. */
  readonly formerHead: string | undefined;
}

/** How a push of the service is judged and recorded. */
type Rules = Required<Pick<PushRequest, "judge" | "chooseHead" | "extraWrites">> & {
  after(facts: PushFacts): Promise<void>;
};

/**
 * Makes the refs of a mirror, or of a repository that is brought over, like the remote's: pushes without the rules for
 * people, and with all that follows a push. Answers the refs that can't be taken. "gone" when the repository follows
 * nothing any more; "busy" when others won all races.
 */
export const landMirror = (
  forge: Forge,
  repositoryId: number,
  fetched: Fetched,
  landing: Landing,
): Promise<readonly RefResult[] | "gone" | "busy"> =>
  landWith(forge, repositoryId, fetched, landing, codeRules(forge, repositoryId, fetched.refs, landing));

/** The same for any git data, by the given rules. */
export async function landWith(
  forge: Forge,
  gitId: number,
  { refs, pack }: Fetched,
  { prunes, actor }: Landing,
  { after, ...rules }: Rules,
): Promise<readonly RefResult[] | "gone" | "busy"> {
  const ours = await openRepository(forge, gitId);
  if (ours === undefined) return "gone";
  const changes = mirrorChanges(ours.refs, refs.refs, { prunes });
  const refused: RefResult[] = [];
  // The pack goes with the first refs that may need it.
  let newPack = pack === undefined ? undefined : newPackOf(pack);
  for (let at = 0; at < changes.length; at += refsAtOnce) {
    const some = changes.slice(at, at + refsAtOnce);
    const isBringing = newPack !== undefined && some.some((change) => change.new !== undefined);
    const outcome = await commitPush(forge, gitId, {
      ...rules,
      changes: some,
      pusherId: actor.user.id,
      source: "receive",
      ...(isBringing && newPack !== undefined ? { pack: newPack } : {}),
    });
    if (outcome.kind !== "done") return outcome.kind;
    if (isBringing && outcome.facts !== undefined) newPack = undefined;
    refused.push(...outcome.results.filter(({ refusal }) => refusal !== undefined));
    if (outcome.facts !== undefined) await after(outcome.facts);
  }
  return refused;
}

function codeRules(forge: Forge, id: number, remote: RemoteRefs, { actor, formerHead }: Landing): Rules {
  const { judge, judged } = judgeFollowing(forge, id);
  return {
    judge,
    chooseHead: (facts) => headAfter(facts, remote, formerHead),
    extraWrites: async (facts) => [...pushWrites(judged(), facts), pushEvent(forge, facts, actor).write],
    async after(facts) {
      await send(forge, [pushEvent(forge, facts, actor)]);
      await followPushAtOnce(forge, { repositoryId: id, changes: facts.changes }, actor);
      await followTagsAtOnce(forge, id, facts.changes);
    },
  };
}

/** Refuses changes once the repository follows no other; `judged` is the repository as the last ones were judged by. */
export function judgeFollowing(
  forge: Forge,
  id: number,
): Pick<Rules, "judge"> & { readonly judged: () => Repository } {
  let found: Repository | undefined;
  return {
    async judge(_snapshot, changes) {
      found = await forge.table.get<Repository>(repositoryKey(id));
      const follows = found?.state === "live" && isFollowing(found);
      return changes.map(() => (follows ? undefined : "the repository follows no other any more"));
    },
    judged() {
      if (found === undefined) throw new Error(`push to repository ${id} was not judged`);
      return found;
    },
  };
}

/**
 * The branch that HEAD shall name: the remote's, when these are the first refs, when the remote changed its mind, and
 * when ours is gone. Else it stays, for somebody may have chosen another here.
 */
export function headAfter(
  facts: PushFacts,
  { head }: RemoteRefs,
  formerHead: string | undefined,
): string | undefined {
  const { before, after } = facts;
  const isThere = (name: string) => after.refs.find(name) !== undefined;
  const isFree = before.root.branches === 0 || !isThere(before.root.head);
  const hasChanged = formerHead !== undefined && head !== formerHead;
  if (head !== undefined && isThere(head) && (isFree || hasChanged)) return head;
  return chooseHead(facts);
}

/** Refs that were not taken, as a sentence for people; undefined when all were. */
export function refusedText(refused: readonly RefResult[]): string | undefined {
  const [first] = refused;
  if (first === undefined) return undefined;
  const others = refused.length > 1 ? ` (and ${refused.length - 1} others)` : "";
  return `not taken: ${first.name}: ${first.refusal}${others}`;
}
