import {
  createOrganization,
  createOwnOrganization,
  requireOrganizationCreator,
} from "#core/organization/create";
import { editOrganization, renameOrganization, setOrganizationAvatar } from "#core/organization/edit";
import { listOrganizations, listOrganizationsOfUser } from "#core/organization/list";
import { organizationPermissionsOf } from "#core/organization/permissions";
import { removeOrganization } from "#core/organization/remove";
import { storeAvatar } from "#core/owner/avatar";
import { pageOf } from "../../http/answer/paging.ts";
import { viewOf } from "../../http/answer/view.ts";
import { endpoint } from "../../http/endpoint.ts";
import { profileFrom } from "./changes.ts";
import { presentOrganization } from "./present.ts";
import {
  CreateOrgOption,
  EditOrgOption,
  Organization,
  OrganizationPermissions,
  RenameOrgOption,
  UpdateUserAvatarOption,
} from "./schema.ts";

const orgCreate = endpoint({
  id: "orgCreate",
  tag: "organization",
  method: "post",
  path: "/orgs",
  summary: "Create an organization; the caller becomes its owner",
  needs: { scope: ["organization"], login: true },
  thingRights: async ({ actor }) => requireOrganizationCreator(actor.user),
  body: CreateOrgOption,
  status: 201,
  returns: { json: Organization },
  errors: [401, 403, 422],
  handle: async (request) => {
    const { forge, actor, body } = request;
    const given = { name: body.username, ...profileFrom(body) };
    return presentOrganization(viewOf(request), await createOwnOrganization(forge, actor, given));
  },
});

const adminCreateOrg = endpoint({
  id: "adminCreateOrg",
  tag: "admin",
  method: "post",
  path: "/admin/users/{username}/orgs",
  summary: "Create an organization; the named user becomes its owner",
  needs: { scope: ["admin"], siteAdmin: true, user: "account" },
  body: CreateOrgOption,
  status: 201,
  returns: { json: Organization },
  errors: [401, 403, 404, 422],
  handle: async (request) => {
    const { forge, user, body } = request;
    const given = { name: body.username, ...profileFrom(body) };
    return presentOrganization(viewOf(request), await createOrganization(forge, user, given));
  },
});

const orgGetAll = endpoint({
  id: "orgGetAll",
  tag: "organization",
  method: "get",
  path: "/orgs",
  summary: "List organizations that the caller may see",
  needs: { scope: ["organization"] },
  status: 200,
  returns: { list: Organization },
  errors: [403],
  handle: async (request) => {
    const { items, total } = await listOrganizations(request.forge, request.actor, request.page);
    return { items: items.map((one) => presentOrganization(viewOf(request), one)), total };
  },
});

const adminGetAllOrgs = endpoint({
  id: "adminGetAllOrgs",
  tag: "admin",
  method: "get",
  path: "/admin/orgs",
  summary: "List all organizations",
  needs: { scope: ["admin"], siteAdmin: true },
  status: 200,
  returns: { list: Organization },
  errors: [401, 403],
  handle: async (request) => {
    const { items, total } = await listOrganizations(request.forge, request.actor, request.page);
    return { items: items.map((one) => presentOrganization(viewOf(request), one)), total };
  },
});

const orgGet = endpoint({
  id: "orgGet",
  tag: "organization",
  method: "get",
  path: "/orgs/{org}",
  summary: "Get an organization",
  needs: { scope: ["organization"], organization: "visible" },
  status: 200,
  returns: { json: Organization },
  errors: [403, 404],
  handle: async (request) => presentOrganization(viewOf(request), request.organization.organization),
});

const orgEdit = endpoint({
  id: "orgEdit",
  tag: "organization",
  method: "patch",
  path: "/orgs/{org}",
  summary: "Edit an organization; absent fields stay as they are",
  needs: { scope: ["organization"], organization: "owner" },
  body: EditOrgOption,
  status: 200,
  returns: { json: Organization },
  errors: [401, 403, 404, 409, 422],
  handle: async (request) => {
    const { forge, organization, body } = request;
    const edited = await editOrganization(forge, organization.organization, profileFrom(body));
    return presentOrganization(viewOf(request), edited);
  },
});

const orgDelete = endpoint({
  id: "orgDelete",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}",
  summary: "Delete an organization that owns no repositories",
  needs: { scope: ["organization"], organization: "owner" },
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, organization }) => {
    await removeOrganization(forge, organization.organization);
    return undefined;
  },
});

const renameOrg = endpoint({
  id: "renameOrg",
  tag: "organization",
  method: "post",
  path: "/orgs/{org}/rename",
  summary: "Rename an organization; the former name leads to it until somebody takes it",
  description: "Nobody else takes the former name within RENAMED_NAME_PROTECTION days.",
  needs: { scope: ["organization"], organization: "owner" },
  body: RenameOrgOption,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, actor, organization, body }) => {
    await renameOrganization(forge, actor, organization.organization, body.new_name);
    return undefined;
  },
});

const orgUpdateAvatar = endpoint({
  id: "orgUpdateAvatar",
  tag: "organization",
  method: "post",
  path: "/orgs/{org}/avatar",
  summary: "Set an organization's picture",
  needs: { scope: ["organization"], organization: "owner" },
  body: UpdateUserAvatarOption,
  bodyBytes: 2 * 1024 * 1024,
  status: 204,
  errors: [401, 403, 404, 409, 422],
  handle: async ({ forge, organization, body }) => {
    const avatar = await storeAvatar(forge, body.image);
    await setOrganizationAvatar(forge, organization.organization, avatar);
    return undefined;
  },
});

const orgDeleteAvatar = endpoint({
  id: "orgDeleteAvatar",
  tag: "organization",
  method: "delete",
  path: "/orgs/{org}/avatar",
  summary: "Take an organization's picture away",
  needs: { scope: ["organization"], organization: "owner" },
  status: 204,
  errors: [401, 403, 404, 409],
  handle: async ({ forge, organization }) => {
    await setOrganizationAvatar(forge, organization.organization, undefined);
    return undefined;
  },
});

const orgListCurrentUserOrgs = endpoint({
  id: "orgListCurrentUserOrgs",
  tag: "organization",
  method: "get",
  path: "/user/orgs",
  summary: "List the caller's organizations",
  needs: { scope: ["user", "organization"], login: true },
  status: 200,
  returns: { list: Organization },
  errors: [401, 403],
  handle: async (request) => {
    const { forge, actor, page } = request;
    const { items, total } = pageOf(await listOrganizationsOfUser(forge, actor, actor.user), page);
    return { items: items.map((one) => presentOrganization(viewOf(request), one)), total };
  },
});

const orgListUserOrgs = endpoint({
  id: "orgListUserOrgs",
  tag: "organization",
  method: "get",
  path: "/users/{username}/orgs",
  summary: "List the organizations where a user shows their membership",
  needs: { scope: ["user", "organization"], login: true, user: "visible" },
  status: 200,
  returns: { list: Organization },
  errors: [401, 403, 404],
  handle: async (request) => {
    const { forge, actor, user, page } = request;
    const { items, total } = pageOf(await listOrganizationsOfUser(forge, actor, user), page);
    return { items: items.map((one) => presentOrganization(viewOf(request), one)), total };
  },
});

const orgGetUserPermissions = endpoint({
  id: "orgGetUserPermissions",
  tag: "organization",
  method: "get",
  path: "/users/{username}/orgs/{org}/permissions",
  summary: "Get a user's rights in an organization",
  needs: { scope: ["user", "organization"], login: true, user: "visible", organization: "visible" },
  status: 200,
  returns: { json: OrganizationPermissions },
  errors: [401, 403, 404],
  handle: async ({ forge, actor, user, organization }) => {
    const may = await organizationPermissionsOf(forge, actor, organization, user);
    return {
      can_create_repository: may.createRepositories,
      can_read: may.read,
      can_write: may.write,
      is_admin: may.administer,
      is_owner: may.own,
    };
  },
});

export const organizationEndpoints = [
  adminCreateOrg,
  adminGetAllOrgs,
  orgGetAll,
  orgCreate,
  orgGet,
  orgEdit,
  orgDelete,
  renameOrg,
  orgUpdateAvatar,
  orgDeleteAvatar,
  orgListCurrentUserOrgs,
  orgListUserOrgs,
  orgGetUserPermissions,
];
