import { randomUUID } from "node:crypto";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { badRequest, invalid, notFound } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { nextId } from "../ids.ts";
import { startJob } from "../jobs/job.ts";
import { ownerKey, userPartition } from "../owner/owner.table.ts";
import { absent, equals, exists } from "../table/condition.ts";
import { put, remove, update, type Write } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import {
  endApplicationKind,
  type OAuth2Application,
  type OAuth2ApplicationGuard,
  oauth2ApplicationGuardKey,
  oauth2ApplicationKey,
  oauth2ApplicationPrefix,
} from "./oauth2-application.table.ts";
import { redirectUriProblem } from "./redirect-uri.ts";
import { randomSecret, secretHashOf } from "./secret.ts";

const longestName = 255;
/** What would show a name, and what users are asked beside it, as another text. */
const disguising = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const longestUri = 2_048;
const mostUris = 20;
/** All are read to show a page of them. */
const mostPerUser = 100;
const mostAttempts = 20;

/** What its owner says of an application. */
export interface OAuth2ApplicationFields {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly isConfidential: boolean;
}

/** An application with its secret, which is known only when it is made. */
export interface ApplicationWithSecret {
  readonly application: OAuth2Application;
  readonly secret: string;
}

/**
 * Registers an application of a user. 422 for fields that can't be, 400 when the user has 100 of them, however many
 * are registered at once.
 */
export async function createOAuth2Application(
  { table, clock }: Forge,
  owner: Pick<User, "id">,
  given: OAuth2ApplicationFields,
): Promise<ApplicationWithSecret> {
  const fields = checked(given);
  const secret = randomSecret("gto_");
  const [id, clientId] = [await nextId(table, "oauth2-application"), randomUUID()];
  const application: OAuth2Application = {
    ...oauth2ApplicationKey(owner.id, id),
    ...{ id, userId: owner.id, clientId, ...fields },
    secretHash: secretHashOf(secret),
    createdAt: nowSeconds(clock),
    _v: 1,
  };
  const guard: OAuth2ApplicationGuard = {
    ...oauth2ApplicationGuardKey(clientId),
    ...{ userId: owner.id, applicationId: id, _v: 1 },
  };
  for await (const _attempt of attempts(mostAttempts)) {
    const next = await nextRegistration({ table }, owner);
    const outcome = await table.transact([next, put(application, absent), put(guard, absent)]);
    if (outcome.committed) return { application, secret };
  }
  throw badRequest("others are registered at the same time: try again");
}

/** Counts one more registration of a user, unless another came first since the applications were counted. */
async function nextRegistration({ table }: Pick<Forge, "table">, owner: Pick<User, "id">): Promise<Write> {
  const user = await table.get<User>(ownerKey(owner.id));
  if (user?.kind !== "user") throw notFound("the user is not there any more");
  if ((await listOAuth2Applications({ table }, owner)).length >= mostPerUser) {
    throw badRequest(`a user may have at most ${mostPerUser} applications: delete some that are not used`);
  }
  const { oauth2Registrations } = user;
  const set = { oauth2Registrations: (oauth2Registrations ?? 0) + 1 };
  return update(ownerKey(owner.id), { set }, equals({ kind: "user", oauth2Registrations }));
}

/** A user's applications by id. */
export const listOAuth2Applications = (
  { table }: Pick<Forge, "table">,
  owner: Pick<User, "id">,
): Promise<OAuth2Application[]> =>
  table.queryAll<OAuth2Application>({ pk: userPartition(owner.id), prefix: oauth2ApplicationPrefix });

/** A user's application; NotFound when they have no such one, whoever else may have it. */
export async function getOAuth2Application(
  { table }: Pick<Forge, "table">,
  owner: Pick<User, "id">,
  id: number,
): Promise<OAuth2Application> {
  const found = await table.get<OAuth2Application>(oauth2ApplicationKey(owner.id, id));
  if (found === undefined) throw notFound(`OAuth2 application does not exist [id: ${id}]`);
  return found;
}

/** Replaces all that its owner says of an application, and its secret. */
export async function replaceOAuth2Application(
  forge: Forge,
  owner: Pick<User, "id">,
  id: number,
  given: OAuth2ApplicationFields,
): Promise<ApplicationWithSecret> {
  const before = await getOAuth2Application(forge, owner, id);
  const secret = randomSecret("gto_");
  const application = { ...before, ...checked(given), secretHash: secretHashOf(secret) };
  // Of two at once the later one's fields and secret stay, together.
  const isThere = await forge.table.write(put(application, exists));
  if (!isThere) throw notFound(`OAuth2 application does not exist [id: ${id}]`);
  return { application, secret };
}

/** Removes an application. None of its tokens counts from then on; a job removes what users let it do. */
export async function removeOAuth2Application(
  forge: Forge,
  owner: Pick<User, "id">,
  id: number,
): Promise<void> {
  const { clientId } = await getOAuth2Application(forge, owner, id);
  const job = startJob(forge, endApplicationKind, { clientId, endedAt: forge.clock.now() });
  const outcome = await forge.table.transact([
    remove(oauth2ApplicationKey(owner.id, id), exists),
    remove(oauth2ApplicationGuardKey(clientId)),
    job.write,
  ]);
  if (!outcome.committed) throw notFound(`OAuth2 application does not exist [id: ${id}]`);
  await send(forge, [job.message]);
}

function checked({ name, redirectUris, isConfidential }: OAuth2ApplicationFields): OAuth2ApplicationFields {
  if (name.trim() === "") throw invalid("Name", "Required");
  if (name.length > longestName) throw invalid("Name", `MaxSize ${longestName}`);
  if (disguising.test(name)) throw invalid("Name", "it has control characters, or marks that turn writing");
  if (redirectUris.length === 0) throw invalid("RedirectUris", "Required");
  if (redirectUris.length > mostUris) throw invalid("RedirectUris", `at most ${mostUris} addresses`);
  for (const uri of redirectUris) {
    if (uri.length > longestUri) throw invalid("RedirectUris", `MaxSize ${longestUri}`);
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalid("RedirectUris", `${problem} [${uri}]`);
  }
  return { name, redirectUris, isConfidential };
}
