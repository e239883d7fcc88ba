import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, forbidden, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { NewPack } from "../git/pack/new-pack.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import type { PushFacts, PushOutcome } from "../git/store/push/push.ts";
import { readSnapshot } from "../git/store/refs/snapshot.ts";
import { type PushPurpose, pushToRepository } from "../repository/push.ts";
import type { Repository } from "../repository/repository.table.ts";
import { type Code, openCode } from "./open.ts";

/** The result of a change of refs: all landed, or one of them had moved since it was read. */
export type Landing = { readonly kind: "landed"; readonly facts: PushFacts } | { readonly kind: "moved" };

/**
 * Moves refs like a push of the actor, all or none: the same rules, hooks, events and log. Forbidden when a rule says
 * no, with its words.
 */
export function landChangesIn(
  forge: Forge,
  repository: Pick<Repository, "id" | "ownerId">,
  actor: Actor,
  changes: readonly RefChange[],
  { pack, ...purpose }: Omit<RefsToLand, "changes"> = {},
): Promise<Landing> {
  const refs = {
    changes,
    isAtomic: true,
    source: "create" as const,
    ...defined({ pack }),
  };
  return landChanges(forge, repository.id, changes, () =>
    pushToRepository(forge, repository, actor, refs, purpose),
  );
}

/** Pushes these changes, all or none, to a repository's code or its wiki, and answers the result. */
export async function landChanges(
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  changes: readonly RefChange[],
  pushNow: () => Promise<PushOutcome>,
): Promise<Landing> {
  const outcome = await pushNow();
  if (outcome.kind === "gone") throw notFound("the repository was deleted meanwhile");
  if (outcome.kind === "busy") throw conflict("others write to this repository all the time: try again");
  if (outcome.facts !== undefined) return { kind: "landed", facts: outcome.facts };
  const now = await readSnapshot(table, repositoryId);
  if (now === undefined) throw notFound("the repository was deleted meanwhile");
  if (changes.some(({ name, old }) => now.refs.find(name)?.id !== old)) return { kind: "moved" };
  const refusals = outcome.results.flatMap(({ refusal }) => refusal ?? []);
  throw forbidden(refusals.find((text) => !text.includes("atomic push")) ?? refusals[0] ?? "refused");
}

/**
 * Reads the code and builds a change of refs on it, again each time others moved what it builds on. `build` answers the
 * change, and the result for the caller.
 */
export async function changeRefs<T>(
  forge: Forge,
  repository: Pick<Repository, "id" | "ownerId">,
  actor: Actor,
  build: (code: Code) => Promise<RefsToLand & { readonly result: T }>,
): Promise<T> {
  for await (const _attempt of attempts()) {
    const { changes, result, ...more } = await build(await openCode(forge, repository.id));
    const landed = await landChangesIn(forge, repository, actor, changes, more);
    if (landed.kind === "landed") return result;
  }
  throw conflict("others move the same refs all the time: try again");
}

/** Refs to move, the pack that they need, and what else the push is. */
export interface RefsToLand extends Omit<PushPurpose, "merge"> {
  readonly changes: readonly RefChange[];
  readonly pack?: NewPack;
}
