import { listActionSecrets, removeActionSecret, setActionSecret } from "#core/action-secret/action-secret";
import type { OwnedPlace } from "#core/actions/place";
import { pageOf } from "../../http/answer/paging.ts";
import { Reply } from "../../http/answer/reply.ts";
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Needs } from "../../http/needs/needs.ts";
import { timestamp } from "../../http/timestamps.ts";
import { organizationSite, repositorySite, type Site, userSite } from "../actions/sites.ts";
import { CreateOrUpdateSecretOption, Secret } from "./schema.ts";

type SecretIds = Readonly<Record<"list" | "set" | "remove", string>>;

/** The operations on the secrets of one kind of place (semantics §63.1). */
function secretEndpoints<N extends Needs>(
  { tag, base, of, needs, placeOf }: Site<N, OwnedPlace>,
  ids: SecretIds,
): Endpoint[] {
  const one = { tag, needs, path: `${base}/secrets/{secretname}` as const };
  const list = endpoint({
    ...{ id: ids.list, tag, needs, path: `${base}/secrets` },
    method: "get",
    summary: `List the secrets of ${of}, by name, without their values`,
    status: 200,
    returns: { list: Secret },
    errors: [401, 403, 404],
    handle: async (request) => {
      const secrets = await listActionSecrets(request.forge, placeOf(request));
      const { items, total } = pageOf(secrets, request.page);
      const present = ({ name, description, createdAt }: (typeof secrets)[number]) => ({
        ...{ name, description, created_at: timestamp(createdAt) },
      });
      return { items: items.map(present), total };
    },
  });
  const set = endpoint({
    ...{ ...one, id: ids.set },
    method: "put",
    summary: `Set a secret of ${of}: 201 for a new one, 204 for one that gets another value`,
    body: CreateOrUpdateSecretOption,
    status: 204,
    otherStatus: 201,
    errors: [400, 401, 403, 404, 409, 422],
    handle: async (request) => {
      const { data: value, description } = request.body;
      const given = { name: request.params.secretname, value, description };
      const { isNew } = await setActionSecret(request.forge, placeOf(request), given);
      return new Reply(undefined, { status: isNew ? 201 : 204 });
    },
  });
  const remove = endpoint({
    ...{ ...one, id: ids.remove },
    method: "delete",
    summary: `Delete a secret of ${of}`,
    status: 204,
    errors: [400, 401, 403, 404],
    handle: async (request) => {
      await removeActionSecret(request.forge, placeOf(request), request.params.secretname);
      return undefined;
    },
  });
  return [list, set, remove];
}

export const actionSecretEndpoints = [
  ...secretEndpoints(repositorySite, {
    ...{ list: "repoListActionsSecrets", set: "updateRepoSecret", remove: "deleteRepoSecret" },
  }),
  ...secretEndpoints(organizationSite, {
    ...{ list: "orgListActionsSecrets", set: "updateOrgSecret", remove: "deleteOrgSecret" },
  }),
  ...secretEndpoints(userSite, {
    ...{ list: "userListActionsSecrets", set: "updateUserSecret", remove: "deleteUserSecret" },
  }),
];
