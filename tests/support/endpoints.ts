import { endpointGroups } from "#functions/api/endpoints";
import { loadAll } from "#functions/http/loaded-routes";

/** Every operation of the API. */
export const endpoints = await loadAll(endpointGroups);
