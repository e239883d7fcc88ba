import { nowSeconds } from "../clock.ts";
import type { Forge } from "../forge.ts";
import { nextIds } from "../ids.ts";
import { absent } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { type Hook, type HookParent, hookKey, hooksOf } from "./hook.table.ts";
import { hookSecretsOf, sealSecrets } from "./secrets.ts";

/** The hooks that every new repository begins with, for the transaction that creates it. */
export async function defaultHookWrites(forge: Forge, repositoryId: number): Promise<Write[]> {
  const defaults = await forge.table.queryAll<Hook>(hooksOf({ kind: "default" }));
  const originals = defaults.map((hook) => ({ ...hook, isOfAdministrators: true }) as const);
  return hookCopyWrites(forge, { kind: "repository", id: repositoryId }, originals);
}

/** Copies of hooks for a parent that is about to be created: each with an id of its own, its secrets sealed anew. */
export async function hookCopyWrites(
  forge: Forge,
  parent: HookParent,
  originals: readonly Hook[],
): Promise<Write[]> {
  if (originals.length === 0) return [];
  const ids = await nextIds(forge.table, "hook", originals.length);
  const now = nowSeconds(forge.clock);
  return originals.map((original, at) => {
    const { secret: _sealed, authorizationHeader: _too, ...rest } = original;
    const id = ids[at] as number;
    const copy: Hook = {
      ...rest,
      ...hookKey(parent, id),
      ...{ id, parent, createdAt: now, updatedAt: now, v: 1 },
      ...sealSecrets(forge, id, hookSecretsOf(forge, original)),
    };
    return put(copy, absent);
  });
}
