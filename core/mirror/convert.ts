import type { Actor } from "../actor.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { editRepository } from "../repository/edit.ts";
import type { Repository } from "../repository/repository.table.ts";
import { exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { mirrorSourceKey } from "./mirror.table.ts";

/**
 * Makes an ordinary repository of a mirror, and forgets how to log in at its source, in one transaction. 422 when it is
 * none.
 */
export async function convertMirror(forge: Forge, actor: Actor, repository: Repository): Promise<Repository> {
  if (!repository.isMirror) throw unprocessable("the repository is no mirror");
  const key = mirrorSourceKey(repository.id);
  const isKnown = (await forge.table.get(key)) !== undefined;
  const forgotten = { unset: ["credentials", "problem"], add: { v: 1 } };
  return editRepository(forge, actor, repository, {
    isMirror: false,
    beside: isKnown ? [update(key, forgotten, exists)] : [],
  });
}
