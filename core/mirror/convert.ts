import type { Actor } from "../actor.ts";
import { unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { editRepository } from "../repository/edit.ts";
import type { Repository } from "../repository/repository.table.ts";
import { exists } from "../table/condition.ts";
import { update } from "../table/write.ts";
import { type MirrorSource, mirrorSourceKey } from "./mirror.table.ts";
import { newSync } from "./request-sync.ts";

/**
 * Makes an ordinary repository of a mirror, and forgets how to log in at its source, in one transaction. 422 when it is
 * none.
 */
export async function convertMirror(forge: Forge, actor: Actor, repository: Repository): Promise<Repository> {
  if (!repository.isMirror) throw unprocessable("the repository is no mirror");
  const key = mirrorSourceKey(repository.id);
  const source = await forge.table.get<MirrorSource>(key);
  const forgotten = { unset: ["credentials", "problem"], add: { v: 1 } };
  const converted = await editRepository(forge, actor, repository, {
    isMirror: false,
    beside: source === undefined ? [] : [update(key, forgotten, exists)],
  });
  if (source?.hasLfs) await forgetInJob(forge, repository);
  return converted;
}

/** A sync of what follows nothing ends with the removal of what was still to come. */
async function forgetInJob(forge: Forge, repository: Repository): Promise<void> {
  const job = newSync(forge, repository);
  if (await forge.table.write(job.write)) await send(forge, [job.message]);
}
