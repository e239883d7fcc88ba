import { createHash } from "node:crypto";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { defined } from "../defined.ts";
import { conflict } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Repository } from "../repository/repository.table.ts";
import { equals } from "../table/condition.ts";
import { update } from "../table/write.ts";
import type { User } from "../user/user.table.ts";
import { type Import, type ImportPlace, type ImportUpload, importKey } from "./import.table.ts";
import { getImport, missingParts } from "./import.ts";

/** The kind of the job that takes a bundle in. */
export const importKind = "import-bundle";

/** One job for each place: its end is waited for before the next bundle. */
export const importJobId = ({ repositoryId, userId }: ImportPlace): string =>
  `import-bundle-${repositoryId}-${userId}`;

const mostNamedParts = 10;

/**
 * Has the uploaded bundle taken in as a push of the caller, and waits a while for it; what failed is tried once more.
 * Conflict when parts are missing, or the upload's time is over.
 */
export async function completeImport(forge: Forge, actor: Actor, repository: Repository): Promise<Import> {
  const place = { repositoryId: repository.id, userId: actor.user.id };
  const found = await getImport(forge, place);
  if (found.state === "done") return found;
  if (found.state !== "waiting") await begin(forge, actor, repository, found);
  await waitForJob(forge, importJobId(place));
  return getImport(forge, place);
}

async function begin(forge: Forge, actor: Actor, repository: Repository, found: Import): Promise<void> {
  const { uploadId, repositoryId, userId, v } = found;
  if (found.until < nowSeconds(forge.clock)) throw conflict("the time for this upload is over: open another");
  await requireParts(forge, found);
  const place: ImportUpload = { repositoryId, userId, uploadId };
  const job = startJob(forge, importKind, place, {
    id: importJobId(place),
    queue: "mirrors",
    turnOf: repository.ownerId,
  });
  const proof = proofOf(actor);
  const waiting = {
    set: {
      ...{ state: "waiting", attempts: 0, landed: 0, refusedCount: 0, refused: [], endedAt: 0, v: v + 1 },
      ...proof,
    },
    unset: ["problem", ...proofs.filter((name) => !(name in proof))],
  };
  const { committed } = await forge.table.transact([
    update(importKey(place), waiting, equals({ v })),
    job.write,
  ]);
  if (!committed) throw conflict("another request changed the import; ask how far it is, then try again");
  await send(forge, [job.message]);
}

async function requireParts(forge: Forge, found: Import): Promise<void> {
  const missing = await missingParts(forge, found);
  if (missing.length === 0) return;
  const named = missing.slice(0, mostNamedParts).map(({ number }) => number);
  const others = missing.length > named.length ? ` and ${missing.length - named.length} more` : "";
  throw conflict(`these parts were not put under their addresses yet: ${named.join(", ")}${others}`);
}

const proofs = ["grant", "sudoBy", "passwordMark"] as const;

/** What lets the caller in, for the job: it asks again whether that still counts. */
const proofOf = ({ user, grant, sudoBy }: Actor): Partial<Import> =>
  defined({ grant, sudoBy, passwordMark: grant === undefined ? passwordMark(user) : undefined });

const passwordMark = ({ passwordHash }: User): string =>
  createHash("sha256")
    .update(passwordHash ?? "")
    .digest("hex");

/** The user who completed an import, with what their credential allows; undefined once it lets them in no more. */
export async function importingActor(
  { table }: Pick<Forge, "table">,
  { userId, grant, sudoBy, passwordMark: mark }: Import,
): Promise<Actor | undefined> {
  const user = await table.get<User>(ownerKey(userId));
  if (user?.kind !== "user") return undefined;
  if (grant === undefined && sudoBy === undefined && mark !== passwordMark(user)) return undefined;
  return { user, ...defined({ grant, sudoBy }) };
}
