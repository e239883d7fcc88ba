import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { landChangesIn } from "../code/land.ts";
import { type Code, isCodeEmpty, openCode } from "../code/open.ts";
import { defined } from "../defined.ts";
import { unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { rootKey } from "../git/store/refs/refs.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { check, type Write } from "../table/write.ts";
import { findTagIn, planTag, requireUnprotectedTag } from "../tag/tag.ts";
import type { Release } from "./release.table.ts";
import { followRelease, type ReleaseChange, type WriteChange, writesOfRelease } from "./write.ts";

/** A release that needs its tag in git, and what makes the change then. */
export interface Publication {
  readonly release: Pick<Release, "tagName" | "target">;
  /** For the object of a new tag; absent: none. */
  readonly message?: string;
  /**
   * Plans the change from what it reads, anew after a lost race; `taggedAt`: when the tag was made, whole seconds.
   * Throws the reason against it.
   */
  plan(tag: { readonly taggedAt: number; readonly isNew: boolean }): Promise<ReleaseChange>;
}

/**
 * Writes a change of a release together with its tag: a tag that is there stays as it is, while the change is written;
 * a missing one is made where the release says, in the same transaction (semantics §43.2). Undefined after a lost race.
 * 404 for an unknown target; 409 when no such tag can be beside others; 422 in an empty repository, and when a rule
 * protects the tag.
 */
export async function publish(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  publication: Publication,
  write: WriteChange,
): Promise<Release | undefined> {
  const code = await openCode(forge, repository.id);
  if (isCodeEmpty(code)) throw unprocessable("the repository is empty");
  const tag = await findTagIn(forge, code, publication.release.tagName);
  if (tag === undefined) return publishWithTag(forge, repository, actor, code, publication);
  const taggedAt = Math.min(Math.max(tag.taggedAt, 0), nowSeconds(forge.clock));
  const planned = await publication.plan({ taggedAt, isNew: false });
  const writes = [...planned.writes, refsAre(repository.id, code)];
  return (await write({ ...planned, writes })) ? planned.release : undefined;
}

/** No ref moved since the code was read. */
export const refsAre = (repositoryId: number, { repository: { root } }: Code): Write =>
  check(rootKey(repositoryId), equals({ v: root.v, state: "live" }));

async function publishWithTag(
  forge: Forge,
  repository: Repository,
  actor: Actor,
  code: Code,
  { release: { tagName, target }, message, plan }: Publication,
): Promise<Release | undefined> {
  await requireUnprotectedTag(forge, repository, actor, tagName);
  const { changes, pack } = await planTag(forge, actor, code, {
    ...{ name: tagName, target },
    ...defined({ message }),
  });
  let planned: ReleaseChange | undefined;
  const tag = {
    unit: "releases",
    async writes() {
      planned = await plan({ taggedAt: nowSeconds(forge.clock), isNew: true });
      return writesOfRelease(planned, repository.shards);
    },
  } as const;
  const landed = await landChangesIn(forge, repository, actor, changes, { ...defined({ pack }), tag });
  if (landed.kind === "moved" || planned === undefined) return undefined;
  await followRelease(forge, planned);
  return planned.release;
}
