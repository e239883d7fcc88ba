import {
  createTagProtection,
  editTagProtection,
  getTagProtection,
  listTagProtections,
  removeTagProtection,
} from "#core/tag-protection/tag-protection";
import type { TagProtection as StoredTagProtection } from "#core/tag-protection/tag-protection.table";
import { z } from "#zod";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { dateTime, timestamp } from "../../http/timestamps.ts";
import { allowedFrom, type NamingRequest, namesIn } from "../branch-protection/names.ts";

const names = z.array(z.string());
const pattern = z
  .string()
  .openapi({ description: "a glob over names of tags, or a regular expression between slashes" });

const TagProtection = z
  .object({
    id: z.int(),
    name_pattern: pattern,
    whitelist_usernames: names,
    whitelist_teams: names,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .openapi("TagProtection");
type TagProtectionJson = z.infer<typeof TagProtection>;

const changes = {
  name_pattern: pattern.optional(),
  whitelist_usernames: names.optional(),
  whitelist_teams: names.optional(),
};
const CreateTagProtectionOption = z.object(changes).openapi("CreateTagProtectionOption");
const EditTagProtectionOption = z.object(changes).openapi("EditTagProtectionOption");

const reads = { scope: ["repository"], login: true, repository: { mode: "admin" } } as const;
const writes = {
  scope: ["repository"],
  login: true,
  repository: { mode: "admin" },
} as const;

async function present(
  { forge, access }: Pick<NamingRequest, "forge" | "access">,
  rules: readonly StoredTagProtection[],
): Promise<TagProtectionJson[]> {
  const { users, teams } = await namesIn(
    forge,
    access,
    rules.map(({ allowed }) => allowed),
  );
  return rules.map(({ id, namePattern, allowed, createdAt, updatedAt }) => ({
    id,
    name_pattern: namePattern,
    whitelist_usernames: allowed.userIds.flatMap((one) => users.get(one) ?? []),
    whitelist_teams: allowed.teamIds.flatMap((one) => teams.get(one) ?? []),
    created_at: timestamp(createdAt),
    updated_at: timestamp(updatedAt),
  }));
}

const presentOne = async (request: Pick<NamingRequest, "forge" | "access">, rule: StoredTagProtection) =>
  (await present(request, [rule]))[0] as TagProtectionJson;

const repoListTagProtection = endpoint({
  id: "repoListTagProtection",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/tag_protections",
  summary: "List the rules that protect tags",
  needs: reads,
  status: 200,
  returns: { json: z.array(TagProtection) },
  errors: [401, 403, 404],
  handle: async (request) =>
    present(request, await listTagProtections(request.forge, request.access.repository.id)),
});

const repoGetTagProtection = endpoint({
  id: "repoGetTagProtection",
  tag: "repository",
  method: "get",
  path: "/repos/{owner}/{repo}/tag_protections/{id}",
  summary: "Get a rule that protects tags",
  needs: reads,
  status: 200,
  returns: { json: TagProtection },
  errors: [401, 403, 404],
  handle: async (request) =>
    presentOne(
      request,
      await getTagProtection(request.forge, request.access.repository.id, request.params.id),
    ),
});

const repoCreateTagProtection = endpoint({
  id: "repoCreateTagProtection",
  tag: "repository",
  method: "post",
  path: "/repos/{owner}/{repo}/tag_protections",
  summary: "Let only some people make, move and delete some tags",
  needs: writes,
  refusesArchived: true,
  body: CreateTagProtectionOption,
  status: 201,
  returns: { json: TagProtection },
  errors: [400, 401, 403, 404, 422, 423],
  handle: async (request) => {
    const { name_pattern = "", whitelist_usernames = [], whitelist_teams = [] } = request.body;
    const named = { users: whitelist_usernames, teams: whitelist_teams };
    const allowed = await allowedFrom(request, named, undefined, false);
    const rule = { namePattern: name_pattern.trim(), allowed };
    return presentOne(request, await createTagProtection(request.forge, request.access.repository.id, rule));
  },
});

const repoEditTagProtection = endpoint({
  id: "repoEditTagProtection",
  tag: "repository",
  method: "patch",
  path: "/repos/{owner}/{repo}/tag_protections/{id}",
  summary: "Edit a rule that protects tags; absent fields stay as they are",
  needs: writes,
  refusesArchived: true,
  body: EditTagProtectionOption,
  status: 200,
  returns: { json: TagProtection },
  errors: [400, 401, 403, 404, 409, 422, 423],
  handle: async (request) => {
    const { forge, access, params, body } = request;
    const { name_pattern, whitelist_usernames: users, whitelist_teams: teams } = body;
    const { allowed: current } = await getTagProtection(forge, access.repository.id, params.id);
    const named = await allowedFrom(request, { users, teams }, current, false);
    const rule = await editTagProtection(forge, access.repository.id, params.id, (old) => ({
      namePattern: name_pattern?.trim() ?? old.namePattern,
      allowed: {
        userIds: users === undefined ? old.allowed.userIds : named.userIds,
        teamIds: teams === undefined ? old.allowed.teamIds : named.teamIds,
      },
    }));
    return presentOne(request, rule);
  },
});

const repoDeleteTagProtection = endpoint({
  id: "repoDeleteTagProtection",
  tag: "repository",
  method: "delete",
  path: "/repos/{owner}/{repo}/tag_protections/{id}",
  summary: "Remove a rule that protects tags",
  needs: writes,
  refusesArchived: true,
  status: 204,
  errors: [401, 403, 404, 409, 423],
  handle: async ({ forge, access, params }) => {
    await removeTagProtection(forge, access.repository.id, params.id);
    return undefined;
  },
});

/** Every operation on the rules that protect tags. */
export const tagProtectionEndpoints: readonly Endpoint[] = [
  repoListTagProtection,
  repoGetTagProtection,
  repoCreateTagProtection,
  repoEditTagProtection,
  repoDeleteTagProtection,
];
