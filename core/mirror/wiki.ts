import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import type { RemoteRefs } from "../git/client/remote.ts";
import { pushEvent } from "../repository/push.ts";
import type { Repository } from "../repository/repository.table.ts";
import { wikiHeadWrites } from "../wiki/store.ts";
import { type Fetched, headAfter, judgeFollowing, type Landing, landWith } from "./land.ts";

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
  const { judge, judged } = judgeFollowing(forge, id);
  return {
    judge,
    chooseHead: (facts) => headAfter(facts, remote, undefined),
    extraWrites: async (facts) => [...wikiHeadWrites(judged(), facts), pushEvent(forge, facts, actor).write],
    after: (facts) => send(forge, [pushEvent(forge, facts, actor)]),
  };
}
