import { z } from "zod";
import type { Actor } from "#core/actor";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { renewTaskActor } from "#core/runner/task-actor";
import type { TableKey } from "#core/table/write";
import { renewActor, renewalKeys } from "#core/token/holder";
import { findUserById } from "#core/user/find";
import type { User } from "#core/user/user.table";

const grantShape = z.object({
  tokenId: z.int(),
  holderId: z.int(),
  isMinted: z.boolean(),
  scopes: z.array(z.string()),
  isPublicOnly: z.boolean(),
  expiresAt: z.number().optional(),
  oauth2: z
    .object({
      ...{ clientId: z.string(), grantId: z.string(), codeHash: z.string() },
      programOwnerId: z.number().optional(),
    })
    .optional(),
});

/** The members by which something sealed names a caller: nobody, a user and the token that they showed, or a job. */
export const callerShape = {
  userId: z.int().optional(),
  sudoBy: z.int().optional(),
  grant: grantShape.optional(),
  taskId: z.int().optional(),
};
export type NamedCaller = z.infer<z.ZodObject<typeof callerShape>>;

export function namedCaller(actor: Actor | undefined): NamedCaller {
  if (actor === undefined) return {};
  if (actor.task !== undefined) return { userId: actor.user.id, taskId: actor.task.taskId };
  return { userId: actor.user.id, sudoBy: actor.sudoBy, grant: actor.grant as NamedCaller["grant"] };
}

/** Who that is, as far as it takes to read what is theirs; undefined for nobody and for jobs. */
export function actorNamed({ userId, sudoBy, grant, taskId }: NamedCaller): Actor | undefined {
  if (userId === undefined || taskId !== undefined) return undefined;
  const user = { id: userId, isAdmin: false } as User;
  return { user, ...defined({ sudoBy, grant }) } as Actor;
}

/** The keys that `findNamedCaller` reads. */
export function namedCallerKeys(named: NamedCaller): TableKey[] {
  const actor = actorNamed(named);
  return actor === undefined ? [] : renewalKeys(actor);
}

/** The caller as they are now; undefined when they would not be let in any more. */
export async function findNamedCaller(
  forge: Forge,
  { userId, sudoBy, grant, taskId }: NamedCaller,
): Promise<Actor | undefined> {
  if (taskId !== undefined) return renewTaskActor(forge, taskId);
  const user = userId === undefined ? undefined : await findUserById(forge, userId);
  if (user === undefined) return undefined;
  return renewActor(forge, { user, ...defined({ sudoBy, grant }) } as Actor);
}
