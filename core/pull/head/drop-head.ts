import { conflict } from "../../errors.ts";
import type { Forge } from "../../forge.ts";
import { commitPush } from "../../git/store/push/commit-push.ts";
import { readSnapshot } from "../../git/store/refs/snapshot.ts";
import { ghostUser } from "../../user/system-users.ts";
import { pullHeadRef } from "../pull.table.ts";

/** Removes the ref that kept the head of a request that is gone. Conflict when others keep writing to the refs. */
export async function dropPullHead(forge: Forge, repositoryId: number, number: number): Promise<void> {
  const name = pullHeadRef(number);
  const old = (await readSnapshot(forge.table, repositoryId))?.refs.find(name)?.id;
  if (old === undefined) return;
  const changes = [{ name, old }];
  const outcome = await commitPush(forge, repositoryId, {
    changes,
    pusherId: ghostUser.id,
    source: "create",
  });
  const isLeft = outcome.kind === "busy" || (outcome.kind === "done" && outcome.facts === undefined);
  if (isLeft) throw conflict("others write to this repository all the time: try again");
}
