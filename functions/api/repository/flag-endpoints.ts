import { notFound } from "#core/errors";
import type { Forge } from "#core/forge";
import { changeRepositoryFlags, listRepositoryFlags } from "#core/repository/flags";
import { z } from "#zod";
import { no } from "../../http/answer/reply.ts";
import { endpoint } from "../../http/endpoint.ts";

const common = {
  tag: "repository",
  needs: { scope: ["repository", "admin"], siteAdmin: true, repository: { mode: "read" } },
} as const;

function requireFlags({ config }: Forge): void {
  if (!config.enableFlags) throw notFound("flags are switched off (ENABLE_FLAGS)");
}

const ReplaceFlagsOption = z
  .object({ flags: z.array(z.string()).optional().openapi({ description: "none when absent" }) })
  .openapi("ReplaceFlagsOption");

const repoListFlags = endpoint({
  ...common,
  id: "repoListFlags",
  method: "get",
  path: "/repos/{owner}/{repo}/flags",
  summary: "List a repository's flags",
  status: 200,
  returns: { json: z.array(z.string()) },
  errors: [401, 403, 404],
  handle: async ({ forge, access }) => {
    requireFlags(forge);
    return [...(await listRepositoryFlags(forge, access.repository.id))];
  },
});

const repoReplaceAllFlags = endpoint({
  ...common,
  id: "repoReplaceAllFlags",
  method: "put",
  path: "/repos/{owner}/{repo}/flags",
  summary: "Give a repository these flags and no others",
  body: ReplaceFlagsOption,
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, body }) => {
    requireFlags(forge);
    await changeRepositoryFlags(forge, access.repository.id, () => body.flags ?? []);
    return undefined;
  },
});

const repoDeleteAllFlags = endpoint({
  ...common,
  id: "repoDeleteAllFlags",
  method: "delete",
  path: "/repos/{owner}/{repo}/flags",
  summary: "Take all flags off a repository",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access }) => {
    requireFlags(forge);
    await changeRepositoryFlags(forge, access.repository.id, () => []);
    return undefined;
  },
});

const repoCheckFlag = endpoint({
  ...common,
  id: "repoCheckFlag",
  method: "get",
  path: "/repos/{owner}/{repo}/flags/{flag}",
  summary: "Check whether a repository has a flag",
  isCheck: true,
  status: 204,
  errors: [401, 403, 404],
  handle: async ({ forge, access, params }) => {
    requireFlags(forge);
    const names = await listRepositoryFlags(forge, access.repository.id);
    return names.includes(params.flag) ? undefined : no;
  },
});

const repoAddFlag = endpoint({
  ...common,
  id: "repoAddFlag",
  method: "put",
  path: "/repos/{owner}/{repo}/flags/{flag}",
  summary: "Give a repository a flag",
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, access, params }) => {
    requireFlags(forge);
    await changeRepositoryFlags(forge, access.repository.id, (names) => [...names, params.flag]);
    return undefined;
  },
});

const repoDeleteFlag = endpoint({
  ...common,
  id: "repoDeleteFlag",
  method: "delete",
  path: "/repos/{owner}/{repo}/flags/{flag}",
  summary: "Take a flag off a repository; it is no error when it has none of the name",
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, access, params }) => {
    requireFlags(forge);
    const without = (names: readonly string[]) => names.filter((name) => name !== params.flag);
    await changeRepositoryFlags(forge, access.repository.id, without);
    return undefined;
  },
});

export const repositoryFlagEndpoints = [
  repoListFlags,
  repoReplaceAllFlags,
  repoDeleteAllFlags,
  repoCheckFlag,
  repoAddFlag,
  repoDeleteFlag,
];
