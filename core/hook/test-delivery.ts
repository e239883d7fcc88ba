import type { Actor } from "../actor.ts";
import { notFound } from "../errors.ts";
import { outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { openRepository } from "../git/store/store.ts";
import { repositoryEvent } from "./events.ts";
import type { Hook } from "./hook.table.ts";

/** The facts about the repository that a test needs. */
export interface TestedRepository {
  readonly id: number;
  readonly defaultBranch: string;
  readonly isEmpty: boolean;
}

/**
 * Sends a push to one hook as though `ref` (a full name, a branch or a tag; absent: the default branch) had just been
 * pushed (semantics §27.9). NotFound when there is no such ref or it leads to no commit; an empty repository has
 * nothing to send.
 */
export async function requestTest(
  forge: Forge,
  actor: Actor,
  repository: TestedRepository,
  hook: Hook,
  ref?: string,
): Promise<void> {
  const opened = await openRepository(forge, repository.id);
  const asked = ref || `refs/heads/${repository.defaultBranch}`;
  const names = [asked, `refs/heads/${asked}`, `refs/tags/${asked}`];
  const entry = names.map((name) => opened?.refs.find(name)).find((found) => found !== undefined);
  if (entry === undefined && repository.isEmpty) return;
  if (opened === undefined || entry === undefined) throw notFound(`ref does not exist [ref: ${asked}]`);
  const commitId = entry.peeled ?? entry.id;
  const packs = await opened.packs();
  const place = packs.find(commitId);
  if (place === undefined || packs.typeOf(place) !== "commit") {
    throw notFound(`ref leads to no commit [ref: ${asked}]`);
  }
  const event = outbox(
    forge,
    "repository-events",
    repositoryEvent({
      kind: "hook-test",
      repositoryId: repository.id,
      actorId: actor.user.id,
      at: forge.clock.now(),
      hookId: hook.id,
      ref: entry.name,
      commitId,
    }),
  );
  await forge.table.write(event.write);
  await send(forge, [event]);
}
