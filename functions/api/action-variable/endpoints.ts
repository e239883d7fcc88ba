import {
  createActionVariable,
  editActionVariable,
  getActionVariable,
  listActionVariables,
  removeActionVariable,
} from "#core/action-variable/action-variable";
import type { ActionVariable as Variable } from "#core/action-variable/action-variable.table";
import type { OwnedPlace } from "#core/actions/place";
import { pageOf } from "../../http/answer/paging.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { organizationSite, repositorySite, type Site, userSite } from "../actions/sites.ts";
import {
  ActionVariable,
  type ActionVariableJson,
  CreateVariableOption,
  UpdateVariableOption,
} from "./schema.ts";

type VariableIds = Readonly<Record<"list" | "get" | "create" | "edit" | "remove", string>>;

const presentVariable = (place: OwnedPlace, { name, value, description }: Variable): ActionVariableJson => ({
  owner_id: place.kind === "repository" ? 0 : place.id,
  repo_id: place.kind === "repository" ? place.id : 0,
  ...{ name, data: value, description },
});

/** The operations on the variables of one kind of place (semantics §63.1). */
const variableEndpoints = <N extends Needs>(site: Site<N, OwnedPlace>, ids: VariableIds): Endpoint[] => [
  ...readingEndpoints(site, ids),
  ...writingEndpoints(site, ids),
];

function readingEndpoints<N extends Needs>(
  { tag, base, of, needs, placeOf }: Site<N, OwnedPlace>,
  ids: VariableIds,
): Endpoint[] {
  const list = endpoint({
    ...{ id: ids.list, tag, needs, path: `${base}/variables` },
    method: "get",
    summary: `List the variables of ${of}, by name`,
    status: 200,
    returns: { list: ActionVariable },
    errors: [401, 403, 404],
    handle: async (request) => {
      const place = placeOf(request);
      const { items, total } = pageOf(await listActionVariables(request.forge, place), request.page);
      return { items: items.map((one) => presentVariable(place, one)), total };
    },
  });
  const get = endpoint({
    ...{ id: ids.get, tag, needs, path: `${base}/variables/{variablename}` as const },
    method: "get",
    summary: `Get a variable of ${of}`,
    status: 200,
    returns: { json: ActionVariable },
    errors: [400, 401, 403, 404],
    handle: async (request) => {
      const place = placeOf(request);
      const { variablename } = request.params;
      return presentVariable(place, await getActionVariable(request.forge, place, variablename));
    },
  });
  return [list, get];
}

function writingEndpoints<N extends Needs>(
  { tag, base, of, needs, placeOf }: Site<N, OwnedPlace>,
  ids: VariableIds,
): Endpoint[] {
  const shared = { tag, needs, path: `${base}/variables/{variablename}` as const, status: 204 };
  const create = endpoint({
    ...{ ...shared, id: ids.create },
    method: "post",
    summary: `Create a variable of ${of}`,
    body: CreateVariableOption,
    errors: [400, 401, 403, 404, 409, 422],
    handle: async (request) => {
      const given = { name: request.params.variablename, ...request.body };
      await createActionVariable(request.forge, placeOf(request), given);
      return undefined;
    },
  });
  const edit = endpoint({
    ...{ ...shared, id: ids.edit },
    method: "put",
    summary: `Change a variable of ${of}`,
    body: UpdateVariableOption,
    errors: [400, 401, 403, 404, 409, 422],
    handle: async (request) => {
      const { forge, params, body } = request;
      await editActionVariable(forge, placeOf(request), params.variablename, body);
      return undefined;
    },
  });
  const remove = endpoint({
    ...{ ...shared, id: ids.remove },
    method: "delete",
    summary: `Delete a variable of ${of}`,
    errors: [400, 401, 403, 404],
    handle: async (request) => {
      await removeActionVariable(request.forge, placeOf(request), request.params.variablename);
      return undefined;
    },
  });
  return [create, edit, remove];
}

export const actionVariableEndpoints = [
  ...variableEndpoints(repositorySite, {
    ...{ list: "getRepoVariablesList", get: "getRepoVariable", create: "createRepoVariable" },
    ...{ edit: "updateRepoVariable", remove: "deleteRepoVariable" },
  }),
  ...variableEndpoints(organizationSite, {
    ...{ list: "getOrgVariablesList", get: "getOrgVariable", create: "createOrgVariable" },
    ...{ edit: "updateOrgVariable", remove: "deleteOrgVariable" },
  }),
  ...variableEndpoints(userSite, {
    ...{ list: "getUserVariablesList", get: "getUserVariable", create: "createUserVariable" },
    ...{ edit: "updateUserVariable", remove: "deleteUserVariable" },
  }),
];
