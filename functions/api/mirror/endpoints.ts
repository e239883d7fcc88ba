import { findOwnerAccess, type OwnerAccess } from "#core/access/owner-access";
import type { Actor } from "#core/actor";
import { unprocessable } from "#core/errors";
import type { Forge } from "#core/forge";
import { migrateRepository } from "#core/mirror/migrate";
import { getMigrationState, type MigrationState, retryMigration } from "#core/mirror/migration-state";
import { syncNow } from "#core/mirror/request-sync";
import { ownerKey } from "#core/owner/owner.table";
import { detailsOfNew } from "#core/repository/details";
import type { z as Zod } from "#zod";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { timestamp } from "../../http/timestamps.ts";
import { presentRepository } from "../repository/present.ts";
import { Repository } from "../repository/schema.ts";
import { MigrateRepoOptions, RepoMigration } from "./schema.ts";

const repoMigrate = endpoint({
  id: "repoMigrate",
  tag: "repository",
  method: "post",
  path: "/repos/migrate",
  summary: "Bring a repository over from elsewhere",
  description:
    "Its code and, when asked for, its wiki and its objects of Git LFS; issues and the like are not brought yet. What takes longer than 20 s goes " +
    "on after the answer, with `empty: true`: `GET /repos/{owner}/{repo}/migration` tells how far it is.",
  cost: "heavy",
  needs: { scope: ["repository"], login: true },
  body: MigrateRepoOptions,
  status: 201,
  returns: { json: Repository },
  errors: [401, 403, 409, 422],
  handle: async (request) => {
    const { forge, actor, body } = request;
    const target = await ownerOf(forge, actor, body);
    const repository = await migrateRepository(forge, actor, target, {
      address: body.clone_addr,
      credentials: { username: body.auth_username, password: body.auth_password, token: body.auth_token },
      name: body.repo_name,
      description: body.description,
      isPrivate: body.private,
      hasWiki: body.wiki,
      hasLfs: body.lfs,
      lfsAddress: body.lfs_endpoint,
      isMirror: body.mirror,
      mirrorInterval: body.mirror_interval,
    });
    const details = await detailsOfNew(forge, actor, repository, target.owner);
    return presentRepository(viewOf(request), details);
  },
});

/** By name, else by id, else the caller (semantics §24.5). */
async function ownerOf(
  forge: Forge,
  actor: Actor,
  { repo_owner: name, uid }: { readonly repo_owner: string; readonly uid: number },
): Promise<OwnerAccess> {
  if (name === "" && uid === 0) return { owner: actor.user, mayCreateRepositories: true };
  const wanted = name !== "" ? name : (await forge.table.get(ownerKey(uid)))?.name;
  const found = typeof wanted === "string" ? await findOwnerAccess(forge, actor, wanted) : undefined;
  if (found === undefined) throw unprocessable("the owner does not exist: name one by repo_owner or uid");
  return found;
}

const repoMirrorSync = endpoint({
  id: "repoMirrorSync",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/mirror-sync",
  summary: "Bring a mirror up to date",
  description: "Waits up to 20 s; a longer sync goes on. `GET …/migration` tells what went wrong.",
  cost: "heavy",
  needs: { scope: ["repository"], login: true, repository: { mode: "write", unit: "code" } },
  refusesArchived: true,
  status: 200,
  errors: [400, 401, 403, 404, 423],
  handle: async ({ forge, access }) => {
    await syncNow(forge, access.repository);
    return undefined;
  },
});

const present = (state: MigrationState): Zod.infer<typeof RepoMigration> => ({
  status: state.status,
  source_url: state.sourceUrl,
  message: state.problem,
  failures: state.failures,
  ended_at: state.endedAt === 0 ? null : timestamp(state.endedAt),
  objects: state.objects,
  bytes: state.bytes,
});

const needsAdmin = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

const repoGetMigration = endpoint({
  id: "repoGetMigration",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/migration",
  summary: "Tell how far a repository is that is brought over, or how a mirror's last sync ended",
  needs: needsAdmin,
  status: 200,
  returns: { json: RepoMigration },
  errors: [401, 403, 404],
  handle: async ({ forge, access }) => present(await getMigrationState(forge, access.repository)),
});

const repoRetryMigration = endpoint({
  id: "repoRetryMigration",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/migration",
  summary: "Try once more to bring a repository over",
  description: "Waits up to 20 s; what takes longer goes on.",
  cost: "heavy",
  needs: needsAdmin,
  status: 200,
  returns: { json: RepoMigration },
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access }) => present(await retryMigration(forge, access.repository)),
});

/** Every operation on repositories that come from elsewhere. */
export const mirrorEndpoints = [repoMigrate, repoMirrorSync, repoGetMigration, repoRetryMigration];
