import { createHash } from "node:crypto";
import type { Actor } from "../../actor.ts";
import type { Forge } from "../../forge.ts";
import { type JobKind, type NewJob, startJob } from "../../jobs/job.ts";
import { findUserById } from "../../user/find.ts";
import { ghostUser } from "../../user/system-users.ts";
import { listFollowers } from "./branch-move.ts";
import type { RestOfFollowers } from "./follow-push.ts";

/** The kind of the job that lets the requests of a branch follow it: those that don't fit into one message's time. */
export const followersKind = "follow-branch";

/** The actor of a push, for what follows it later. */
export const pusherById = async (forge: Forge, userId: number): Promise<Actor> => ({
  user: (await findUserById(forge, userId)) ?? ghostUser,
});

/** A job for the rest of a branch's followers: one, however often it is asked for after the same push. */
export function followersJob(forge: Forge, pushEventId: string, rest: RestOfFollowers): NewJob {
  const name = JSON.stringify([pushEventId, rest.move.branch, rest.side]);
  const id = createHash("sha256").update(name).digest("hex").slice(0, 32);
  return startJob(forge, followersKind, rest, { id });
}

/** Goes through the followers of a branch, a page at each step. */
export const followersJobs: JobKind<RestOfFollowers, { readonly after: string }> = {
  async step(forge, { repositoryId, actorId, move, side, after }, cursor) {
    const { followBranch } = await import("./follow-branch.ts");
    const page = await listFollowers(forge, repositoryId, move, side, cursor?.after ?? after);
    await followBranch(forge, repositoryId, page, await pusherById(forge, actorId));
    return page.next === undefined ? { done: true } : { cursor: { after: page.next } };
  },
};
