import { purgeAccount, removeAccount } from "#core/account/remove";
import { defined } from "#core/defined";
import type { Forge } from "#core/forge";
import { createUser } from "#core/user/create";
import { editUser, renameUser } from "#core/user/edit";
import { isDomainAllowed } from "#core/user/fields";
import { listAllUsers } from "#core/user/list";
import { z } from "#zod";
import { Reply } from "../../http/answer/reply.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { flag, integer, text } from "../../http/query.ts";
import { secondsFrom } from "../../http/timestamps.ts";
import { changesFrom } from "./changes.ts";
import { presentUser } from "./present.ts";
import { CreateUserOption, EditUserOption, RenameUserOption, User } from "./schema.ts";

/** Operations by which administrators manage accounts. */

const adminCreateUser = endpoint({
  id: "adminCreateUser",
  tag: "admin",
  method: "post",
  path: "/admin/users",
  summary: "Create a user",
  cost: "heavy",
  needs: { scope: ["admin"], siteAdmin: true },
  body: CreateUserOption,
  status: 201,
  returns: { json: User },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { body, forge } = request;
    const created = await createUser(forge, {
      name: body.username,
      email: body.email,
      mustChangePassword: body.must_change_password ?? true,
      ...defined({
        password: body.password,
        fullName: body.full_name,
        isRestricted: body.restricted,
        loginSourceId: body.source_id,
        loginName: body.login_name,
      }),
      ...defined({ visibility: body.visibility || undefined }),
      ...(body.created_at === undefined ? {} : { createdAt: secondsFrom(body.created_at) }),
    });
    return new Reply(presentUser(viewOf(request), created), { headers: domainWarning(forge, body.email) });
  },
});

/** An administrator may give an address of a domain that users may not have: the answer says so (semantics §26). */
function domainWarning(forge: Forge, email: string | undefined): Record<string, string> {
  if (email === undefined || isDomainAllowed(forge, email)) return {};
  const domain = encodeURIComponent(email.slice(email.lastIndexOf("@") + 1));
  return { "x-gitea-warning": `the settings do not allow e-mail addresses of ${domain}` };
}

const sorts = [
  "oldest",
  "newest",
  "alphabetically",
  "reversealphabetically",
  "recentupdate",
  "leastupdate",
] as const;

const adminSearchUsers = endpoint({
  id: "adminSearchUsers",
  tag: "admin",
  method: "get",
  path: "/admin/users",
  summary: "List all users, or those of a login source",
  needs: { scope: ["admin"], siteAdmin: true },
  query: {
    source_id: integer.openapi({ description: "only accounts of this login source; 0: local ones" }),
    login_name: text.openapi({ description: "only users with this name at their login source" }),
    sort: z.enum(sorts).optional().openapi({ description: "by name unless said otherwise" }),
  },
  status: 200,
  returns: { list: User },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { forge, query, page } = request;
    const filter = {
      ...defined({ loginSourceId: query.source_id, loginName: query.login_name }),
    };
    const found = await listAllUsers(forge, filter, query.sort ?? "alphabetically", page);
    return { ...found, items: found.items.map((user) => presentUser(viewOf(request), user)) };
  },
});

const adminEditUser = endpoint({
  id: "adminEditUser",
  tag: "admin",
  method: "patch",
  path: "/admin/users/{username}",
  summary: "Edit a user; absent fields stay as they are",
  description: "The last administrator stays one.",
  cost: "heavy",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
  body: EditUserOption,
  status: 200,
  returns: { json: User },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, user, body } = request;
    const edited = await editUser(forge, user, changesFrom(body));
    return new Reply(presentUser(viewOf(request), edited), { headers: domainWarning(forge, body.email) });
  },
});

const adminRenameUser = endpoint({
  id: "adminRenameUser",
  tag: "admin",
  method: "post",
  path: "/admin/users/{username}/rename",
  summary: "Rename a user; the former name leads to them until somebody takes it",
  description:
    "Within RENAMED_NAME_PROTECTION days administrators alone may give the former name to somebody else.",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
  body: RenameUserOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, user, body }) => {
    await renameUser(forge, user, body.new_username);
    return undefined;
  },
});

const adminDeleteUser = endpoint({
  id: "adminDeleteUser",
  tag: "admin",
  method: "delete",
  path: "/admin/users/{username}",
  summary: "Delete a user",
  description:
    "Issues and comments stay and show the ghost user. Refused for a user who owns repositories or is in an organization, unless purge is set. The last administrator stays.",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
  query: {
    purge: flag.openapi({
      description:
        "delete everything the user owns, too: repositories, organizations that lose their last owner with theirs, issues and comments",
    }),
  },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, user, query }) => {
    await (query.purge === true ? purgeAccount : removeAccount)(forge, actor, user);
    return undefined;
  },
});

export const userAdministrationEndpoints = [
  adminCreateUser,
  adminSearchUsers,
  adminEditUser,
  adminRenameUser,
  adminDeleteUser,
];
