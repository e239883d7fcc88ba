import { badRequest } from "#core/errors";
import type { Forge } from "#core/forge";
import {
  createPushMirror,
  getPushMirror,
  listPushMirrors,
  removePushMirror,
} from "#core/push-mirror/push-mirror";
import type { PushMirror as PushMirrorItem } from "#core/push-mirror/push-mirror.table";
import { runPushMirrorsNow } from "#core/push-mirror/start";
import { formatInterval } from "#core/repository/mirror";
import type { Repository } from "#core/repository/repository.table";
import { z } from "#zod";
import { wholeUnlessAsked } from "../../http/answer/paging.ts";
import { endpoint } from "../../http/endpoint.ts";
import { dateTime, timestamp } from "../../http/timestamps.ts";

const PushMirror = z
  .object({
    repo_name: z.string(),
    remote_name: z.string().openapi({ description: "its name in paths" }),
    remote_address: z.string().openapi({ description: "without credentials" }),
    created: dateTime,
    last_update: dateTime.nullable().openapi({ description: "null before the first run" }),
    last_error: z.string().openapi({ description: "empty when the last run was well" }),
    interval: z.string().openapi({ description: "8h0m0s, for example; 0s: no planned runs" }),
    sync_on_commit: z.boolean(),
    branch_filter: z.string(),
    public_key: z.string().openapi({ description: "empty: SSH is not served here" }),
  })
  .openapi("PushMirror");

const CreatePushMirrorOption = z
  .object({
    remote_address: z.string(),
    remote_username: z.string().default(""),
    remote_password: z.string().default(""),
    interval: z.string().default("").openapi({ description: "8h30m0s, for example; 0: no planned runs" }),
    sync_on_commit: z.boolean().default(false),
    branch_filter: z
      .string()
      .default("")
      .openapi({ description: "globs between commas; empty: all branches" }),
    use_ssh: z.boolean().default(false),
  })
  .openapi("CreatePushMirrorOption");

const present = ({ name }: Repository, mirror: PushMirrorItem): z.infer<typeof PushMirror> => ({
  repo_name: name,
  remote_name: mirror.name,
  remote_address: mirror.url,
  created: timestamp(mirror.createdAt),
  last_update: mirror.lastRunAt === 0 ? null : timestamp(mirror.lastRunAt),
  last_error: mirror.problem ?? "",
  interval: formatInterval(mirror.intervalSeconds),
  sync_on_commit: mirror.syncsOnPush,
  branch_filter: mirror.branchFilter,
  public_key: "",
});

const needs = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;

function requireMirrors({ config }: Forge): void {
  if (config.disableMirrors) throw badRequest("mirrors are switched off here");
}

const repoListPushMirrors = endpoint({
  id: "repoListPushMirrors",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/push_mirrors",
  summary: "List the copies elsewhere that a repository keeps up to date",
  needs,
  status: 200,
  returns: { list: PushMirror },
  errors: [400, 401, 403, 404],
  handle: async ({ forge, access: { repository }, page }) => {
    requireMirrors(forge);
    const { items, ...rest } = wholeUnlessAsked(await listPushMirrors(forge, repository.id), page);
    return { items: items.map((mirror) => present(repository, mirror)), ...rest };
  },
});

const repoAddPushMirror = endpoint({
  id: "repoAddPushMirror",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/push_mirrors",
  summary: "Keep a copy of a repository elsewhere up to date",
  description: "401 also for an address that may not be reached from here.",
  needs,
  refusesArchived: true,
  body: CreatePushMirrorOption,
  status: 200,
  returns: { json: PushMirror },
  errors: [400, 401, 403, 404, 423],
  handle: async ({ forge, access: { repository }, body }) => {
    requireMirrors(forge);
    const mirror = await createPushMirror(forge, repository, {
      address: body.remote_address,
      username: body.remote_username,
      password: body.remote_password,
      interval: body.interval,
      syncsOnPush: body.sync_on_commit,
      branchFilter: body.branch_filter,
      usesSsh: body.use_ssh,
    });
    return present(repository, mirror);
  },
});

const repoGetPushMirrorByRemoteName = endpoint({
  id: "repoGetPushMirrorByRemoteName",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/push_mirrors/{name}",
  summary: "Get a copy elsewhere by its name",
  needs,
  status: 200,
  returns: { json: PushMirror },
  errors: [400, 401, 403, 404],
  handle: async ({ forge, access: { repository }, params }) => {
    requireMirrors(forge);
    return present(repository, await getPushMirror(forge, repository.id, params.name));
  },
});

const repoDeletePushMirror = endpoint({
  id: "repoDeletePushMirror",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/push_mirrors/{name}",
  summary: "Keep a copy elsewhere up to date no longer",
  description: "The copy stays as it is. 204 also when there is none of this name.",
  needs,
  refusesArchived: true,
  status: 204,
  errors: [400, 401, 403, 404, 423],
  handle: async ({ forge, access: { repository }, params }) => {
    requireMirrors(forge);
    await removePushMirror(forge, repository.id, params.name);
    return undefined;
  },
});

const repoPushMirrorSync = endpoint({
  id: "repoPushMirrorSync",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/push_mirrors-sync",
  summary: "Bring all copies elsewhere up to date",
  description: "Waits up to 20 s; longer runs go on. `last_error` tells what went wrong.",
  cost: "heavy",
  needs,
  refusesArchived: true,
  status: 200,
  errors: [400, 401, 403, 404, 423],
  handle: async ({ forge, access }) => {
    await runPushMirrorsNow(forge, access.repository);
    return undefined;
  },
});

/** Every operation on copies elsewhere. */
export const pushMirrorEndpoints = [
  repoListPushMirrors,
  repoAddPushMirror,
  repoGetPushMirrorByRemoteName,
  repoDeletePushMirror,
  repoPushMirrorSync,
];
