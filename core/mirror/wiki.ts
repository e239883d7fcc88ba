import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import { pushEvent } from "../repository/push.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { wikiHeadWrites } from "../wiki/store.ts";
import { type Fetched, headAfter, type Landing, landWith } from "./land.ts";
import { isFollowing } from "./source.ts";

/** Makes the refs of a wiki like those of the source's wiki; else as `landMirror`. */
export const landWiki = (
  forge: Forge,
  { id, wikiId }: Pick<Repository, "id"> & { readonly wikiId: number },
  fetched: Fetched,
  landing: Landing,
) => landWith(forge, wikiId, fetched, landing, wikiRules(forge, id, fetched.refs, landing));

function wikiRules(
  forge: Forge,
  id: number,
  remote: RemoteRefs,
  { actor }: Landing,
): Parameters<typeof landWith>[4] {
  let judged: Repository | undefined;
  return {
    async judge(_snapshot, changes) {
      judged = await forge.table.get<Repository>(repositoryKey(id));
      const follows = judged?.state === "live" && isFollowing(judged);
      return changes.map(() => (follows ? undefined : "the repository follows no other any more"));
    },
    chooseHead: (facts) => headAfter(facts, remote, undefined),
    async extraWrites(facts) {
      if (judged === undefined) throw new Error(`push to the wiki of repository ${id} was not judged`);
      return [...wikiHeadWrites(judged, facts), pushEvent(forge, facts, actor).write];
    },
    after: (facts) => send(forge, [pushEvent(forge, facts, actor)]),
  };
}
