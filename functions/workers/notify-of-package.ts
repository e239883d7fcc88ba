import { z } from "zod";
import type { Forge } from "#core/forge";
import { announceToHooks } from "#core/hook/announce";
import type { PackageEvent } from "#core/hook/events";
import { listHooksOf } from "#core/hook/hook";
import { HookSubscriptions } from "#core/hook/subscriptions";
import type { Owner } from "#core/owner/owner";
import { ownerKey } from "#core/owner/owner.table";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { type MessageWork, usualLeaseSeconds } from "./worker.ts";

type Arrived = PackageEvent & { readonly eventId: string };

const shape: z.ZodType<Arrived> = z.object({
  kind: z.literal("package"),
  eventId: z.string(),
  action: z.enum(["created", "deleted"]),
  ownerId: z.int(),
  repositoryId: z.int().exactOptional(),
  number: z.int(),
  actorId: z.int(),
  at: z.number(),
});

/**
 * Records and queues the deliveries of a package's event: for hooks of its owner, of the repository that it belongs to,
 * and of the system. May be repeated.
 */
async function notify(forge: Forge, event: Arrived): Promise<void> {
  const { ownerId, repositoryId } = event;
  if (forge.config.disableWebhooks) return;
  const hooks = await listHooksOf(forge, { ownerId, repositoryId });
  const subscriptions = new HookSubscriptions(hooks);
  if ((await subscriptions.subscribed({ eventType: "package" })).length === 0) return;
  const { packageNotice } = await import("./payloads/package.ts"); // presenting is much code
  const owner = await forge.table.get<Owner>(ownerKey(ownerId));
  if (owner === undefined) return;
  const repository =
    repositoryId === undefined ? undefined : await forge.table.get<Repository>(repositoryKey(repositoryId));
  const isLive = repository?.state === "live" && repository.ownerId === ownerId;
  const place = { owner, repository: isLive ? repository : undefined };
  for (const notice of await packageNotice(forge, event, place)) {
    await forge.queues.send("webhooks", await announceToHooks(forge, subscriptions, event, notice));
  }
}

/** The work on a package's event: hooks hear of it, and workflows of its repository start. May be repeated. */
export const packageWork: MessageWork<Arrived> = {
  shape,
  leaseSeconds: usualLeaseSeconds,
  async work(forge, event) {
    await notify(forge, event);
    const { repositoryId } = event;
    if (repositoryId === undefined) return undefined;
    // Few packages belong to repositories with workflows.
    const { startWorkflows } = await import("./workflows/start-workflows.ts");
    await startWorkflows(forge, { ...event, repositoryId });
    return undefined;
  },
};
