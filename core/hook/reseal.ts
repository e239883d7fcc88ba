import { attempts } from "../concurrency/attempts.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type IdKind, lastId } from "../ids.ts";
import { startJob } from "../jobs/job.ts";
import { clearingUp, type PartStep } from "../jobs/passes.ts";
import { equals } from "../table/condition.ts";
import { put, update } from "../table/write.ts";
import { type Hook, type HookParent, hooksOf, type SealedHooks, sealedHooksKey } from "./hook.table.ts";
import {
  areHookSecretsOutdated,
  areHookSecretsReadable,
  hookKeyIds,
  hookSecretsOf,
  sealSecrets,
} from "./secrets.ts";

/** The kind of the job that seals hooks' secrets again, under the present key. */
export const resealingKind = "reseal-hooks";

/** `keyIds` are the asking process's; `since`, in milliseconds, is when it asked. */
type Resealing = { readonly keyIds: string; readonly since: number };

const parentsPerStep = 25;

/** The ids as one text whose last character is a digit of the last id, as a job's id needs it. */
const shownKeyIds = (forge: Forge): string => hookKeyIds(forge).join("-");

/**
 * Starts the job if hooks were last sealed under other keys than the present ones; once in a process is enough. Answers
 * how many were started.
 */
export async function startResealing(forge: Forge): Promise<number> {
  const keyIds = shownKeyIds(forge);
  const sealed = await forge.table.get<SealedHooks>(sealedHooksKey);
  if (sealed?.keyIds === keyIds) return 0;
  const args: Resealing = { keyIds, since: forge.clock.now() };
  const job = startJob(forge, resealingKind, args, { id: `${resealingKind}-${keyIds}` });
  if (!(await forge.table.write(job.write))) return 0;
  await send(forge, [job.message]);
  return 1;
}

/**
 * Seals again secrets that were sealed under another key. Functions of an older deploy may still seal under it for a
 * while, so it looks again until none of their requests is left.
 */
export const resealHooks = clearingUp<Resealing>({
  parts: [
    { name: "service", step: (forge) => resealOf(forge, [{ kind: "system" }, { kind: "default" }]) },
    // Users, and organizations alike.
    {
      name: "owners",
      step: (forge, _pass, from) => resealNext(forge, "owner", from, (id) => ({ kind: "user", id })),
    },
    {
      name: "repositories",
      step: (forge, _pass, from) =>
        resealNext(forge, "repository", from, (id) => ({ kind: "repository", id })),
    },
  ],
  since: (args) => args.since,
  async finish({ table }, { keyIds }) {
    await table.write(put({ ...sealedHooksKey, keyIds, _v: 1 } satisfies SealedHooks));
  },
});

/** Looks at the hooks of the parents with the next ids. */
async function resealNext(
  forge: Forge,
  kind: IdKind,
  from: number | string | undefined,
  parentOf: (id: number) => HookParent,
): Promise<PartStep> {
  const first = Number(from ?? 1);
  const last = await lastId(forge.table, kind);
  const end = Math.min(first + parentsPerStep, last + 1);
  const parents = Array.from({ length: Math.max(end - first, 0) }, (_, place) => parentOf(first + place));
  const { hasFound } = await resealOf(forge, parents);
  return { hasFound, hasMore: end <= last, inner: end };
}

async function resealOf(forge: Forge, parents: readonly HookParent[]): Promise<PartStep> {
  const found = await Promise.all(parents.map((parent) => resealAll(forge, parent)));
  return { hasFound: found.includes(true), hasMore: false };
}

/** Whether any hook of a parent was sealed again. */
async function resealAll(forge: Forge, parent: HookParent): Promise<boolean> {
  let hasFound = false;
  for (const hook of await forge.table.queryAll<Hook>(hooksOf(parent))) {
    hasFound = (await reseal(forge, hook)) || hasFound;
  }
  return hasFound;
}

/** The edit version is the condition, and moves: a concurrent edit of the hook begins anew with the new secrets. */
async function reseal(forge: Forge, { pk, sk }: Hook): Promise<boolean> {
  const { table } = forge;
  for await (const _attempt of attempts()) {
    const hook = await table.get<Hook>({ pk, sk });
    if (hook === undefined || !areHookSecretsOutdated(forge, hook)) return false;
    if (!areHookSecretsReadable(forge, hook)) {
      forge.log.error("hooks:key-missing", { hookId: hook.id, keyIds: hookKeyIds(forge) });
      return false;
    }
    const set = sealSecrets(forge, hook.id, hookSecretsOf(forge, hook));
    if (await table.write(update({ pk, sk }, { set, add: { v: 1 } }, equals({ v: hook.v })))) return true;
  }
  throw new Error("a hook is being changed by others all the time");
}
