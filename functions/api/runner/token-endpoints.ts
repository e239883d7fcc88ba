import type { ActionsPlace } from "#core/actions/place";
import { deactivateRegistrationToken, registrationToken } from "#core/runner/registration-token";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { adminSite, organizationSite, repositorySite, type Site, userSite } from "../actions/sites.ts";
import { RegistrationToken } from "./schema.ts";

/** The operations' ids, each with the family's name where that is another's already (D-OPIDS). */
interface TokenIds {
  readonly get: string;
  readonly create: string;
  readonly remove?: string;
  readonly originalGet?: string;
  readonly originalCreate?: string;
}

/** Both ways to ask for the token, and the one to deactivate it (B-17, semantics §17, D-PATHS). */
function tokenEndpoints<N extends Needs, Place extends ActionsPlace>(
  { tag, of, needs, placeOf, ...site }: Site<N, Place>,
  ids: TokenIds,
  base: string = site.base,
): Endpoint[] {
  const path = `${base}/runners/registration-token` as const;
  const shared = { tag, path, needs, errors: [401, 403, 404, 409] };
  const answering = {
    ...shared,
    status: 200,
    returns: { json: RegistrationToken },
    isSecret: true,
  } as const;
  const get = endpoint({
    ...answering,
    id: ids.get,
    ...(ids.originalGet === undefined ? {} : { originalId: ids.originalGet }),
    method: "get",
    summary: `Get the token that registers runners of ${of}`,
    description: "It is the same until it is deactivated; the first call makes it.",
    handle: async (request) => ({ token: await registrationToken(request.forge, placeOf(request)) }),
  });
  const create = endpoint({
    ...answering,
    id: ids.create,
    ...(ids.originalCreate === undefined ? {} : { originalId: ids.originalCreate }),
    method: "post",
    summary: `Get the token that registers runners of ${of}, like GET`,
    handle: async (request) => ({ token: await registrationToken(request.forge, placeOf(request)) }),
  });
  if (ids.remove === undefined) return [get, create];
  const remove = endpoint({
    ...shared,
    id: ids.remove,
    method: "delete",
    summary: `Deactivate the token that registers runners of ${of}`,
    description: "Runners that registered with it stay. The next call for a token makes another one.",
    status: 204,
    handle: async (request) => {
      await deactivateRegistrationToken(request.forge, placeOf(request));
      return undefined;
    },
  });
  return [get, create, remove];
}

export const registrationTokenEndpoints = [
  ...tokenEndpoints(repositorySite, {
    get: "repoGetRunnerRegistrationToken",
    create: "repoCreateRunnerRegistrationToken",
    remove: "repoDeleteRunnerRegistrationToken",
  }),
  ...tokenEndpoints(organizationSite, {
    get: "orgGetRunnerRegistrationToken",
    create: "orgCreateRunnerRegistrationToken",
    remove: "orgDeleteRunnerRegistrationToken",
  }),
  ...tokenEndpoints(userSite, {
    get: "userGetRunnerRegistrationToken",
    create: "userCreateRunnerRegistrationToken",
    remove: "userDeleteRunnerRegistrationToken",
  }),
  ...tokenEndpoints(adminSite, {
    get: "adminGetActionsRunnerRegistrationToken",
    originalGet: "adminGetRunnerRegistrationToken",
    create: "adminCreateRunnerRegistrationToken",
    remove: "adminDeleteRunnerRegistrationToken",
  }),
  ...tokenEndpoints(
    adminSite,
    {
      get: "adminGetRunnerRegistrationToken",
      create: "adminPostRunnerRegistrationToken",
      originalCreate: "adminCreateRunnerRegistrationToken",
    },
    "/admin",
  ),
];
