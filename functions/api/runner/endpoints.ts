import type { ActionsPlace } from "#core/actions/place";
import {
  getRunner,
  isRunnerOff,
  listRunners,
  registerRunner,
  removeRunner,
  setRunnerDisabled,
} from "#core/runner/runner";
import { pageOf } from "../../http/answer/paging.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { flag } from "../../http/query.ts";
import { adminSite, organizationSite, repositorySite, type Site, userSite } from "../actions/sites.ts";
import { runnerJobEndpoints } from "./job-endpoints.ts";
import { presentRunner } from "./present.ts";
import {
  ActionRunner,
  EditActionRunnerOption,
  RegisterRunnerOptions,
  RegisterRunnerResponse,
} from "./schema.ts";
import { registrationTokenEndpoints } from "./token-endpoints.ts";

type RunnerIds = Readonly<Record<"list" | "create" | "get" | "edit" | "remove", string>>;

/** The owner of the repository of a site, if it is one. */
const repositoryOwner = (place: ActionsPlace): number | undefined =>
  place.kind === "repository" ? place.ownerId : undefined;

/** The operations on the runners of one kind of place. */
const runnerEndpoints = <N extends Needs, Place extends ActionsPlace>(
  site: Site<N, Place>,
  ids: RunnerIds,
): Endpoint[] => [...wholeEndpoints(site, ids), ...singleEndpoints(site, ids)];

function wholeEndpoints<N extends Needs, Place extends ActionsPlace>(
  { tag, base, of, needs, placeOf, around }: Site<N, Place>,
  ids: RunnerIds,
): Endpoint[] {
  const path = `${base}/runners` as const;
  const list = endpoint({
    ...{ id: ids.list, tag, path, needs },
    method: "get",
    summary: `List the runners of ${of}`,
    query: {
      visible: flag.openapi({ description: "also those of wider places, which take its jobs, too" }),
      disabled: flag.openapi({ description: "only those that take no jobs, or only those that do" }),
    },
    status: 200,
    returns: { list: ActionRunner },
    errors: [401, 403, 404],
    handle: async (request) => {
      const { forge, query, page } = request;
      const place = placeOf(request);
      const wider = query.visible === true ? around(request) : [];
      const runners = await listRunners(forge, [place, ...wider]);
      const owner = repositoryOwner(place);
      const chosen = runners.filter(
        (runner) => query.disabled === undefined || isRunnerOff(runner, owner) === query.disabled,
      );
      const listing = pageOf(chosen, page);
      return { ...listing, items: listing.items.map((runner) => presentRunner(forge, runner, owner)) };
    },
  });
  const create = endpoint({
    ...{ id: ids.create, tag, path, needs },
    method: "post",
    summary: `Register a runner of ${of}`,
    description: "For runners that are told their UUID and token; others use a registration token.",
    body: RegisterRunnerOptions,
    status: 201,
    returns: { json: RegisterRunnerResponse },
    isSecret: true,
    errors: [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { name, description = "", ephemeral = false } = request.body;
      const given = { name, description, isEphemeral: ephemeral };
      const { runner, token } = await registerRunner(request.forge, placeOf(request), given);
      return { id: runner.id, uuid: runner.uuid, token };
    },
  });
  return [list, create];
}

function singleEndpoints<N extends Needs, Place extends ActionsPlace>(
  { tag, base, of, needs, placeOf }: Site<N, Place>,
  ids: RunnerIds,
): Endpoint[] {
  const path = `${base}/runners/{runner_id}` as const;
  const get = endpoint({
    ...{ id: ids.get, tag, path, needs },
    method: "get",
    summary: `Get a runner of ${of}`,
    status: 200,
    returns: { json: ActionRunner },
    errors: [401, 403, 404],
    handle: async (request) => {
      const place = placeOf(request);
      const runner = await getRunner(request.forge, place, request.params.runner_id);
      return presentRunner(request.forge, runner, repositoryOwner(place));
    },
  });
  const edit = endpoint({
    ...{ id: ids.edit, tag, path, needs },
    method: "patch",
    summary: `Let a runner of ${of} take jobs, or not`,
    body: EditActionRunnerOption,
    status: 200,
    returns: { json: ActionRunner },
    errors: [401, 403, 404, 409, 422],
    handle: async (request) => {
      const { forge, params, body } = request;
      const place = placeOf(request);
      const runner = await setRunnerDisabled(forge, place, params.runner_id, body.disabled);
      return presentRunner(forge, runner, repositoryOwner(place));
    },
  });
  const remove = endpoint({
    ...{ id: ids.remove, tag, path, needs },
    method: "delete",
    summary: `Delete a runner of ${of}`,
    status: 204,
    errors: [401, 403, 404],
    handle: async (request) => {
      await removeRunner(request.forge, placeOf(request), request.params.runner_id);
      return undefined;
    },
  });
  return [get, edit, remove];
}

export const actionsRunnerEndpoints = [
  ...registrationTokenEndpoints,
  ...runnerJobEndpoints,
  ...runnerEndpoints(repositorySite, {
    ...{ list: "getRepoRunners", create: "registerRepoRunner", get: "getRepoRunner" },
    ...{ edit: "updateRepoRunner", remove: "deleteRepoRunner" },
  }),
  ...runnerEndpoints(organizationSite, {
    ...{ list: "getOrgRunners", create: "registerOrgRunner", get: "getOrgRunner" },
    ...{ edit: "updateOrgRunner", remove: "deleteOrgRunner" },
  }),
  ...runnerEndpoints(userSite, {
    ...{ list: "getUserRunners", create: "registerUserRunner", get: "getUserRunner" },
    ...{ edit: "updateUserRunner", remove: "deleteUserRunner" },
  }),
  ...runnerEndpoints(adminSite, {
    ...{ list: "getAdminRunners", create: "registerAdminRunner", get: "getAdminRunner" },
    ...{ edit: "updateAdminRunner", remove: "deleteAdminRunner" },
  }),
];
