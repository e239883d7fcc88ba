import type { Hono } from "hono";
import type { Forge } from "#core/forge";
import { jsonAnswer } from "../../http/answer/answer.ts";
import { countedByNetwork } from "../../http/caller/counted-network.ts";

/** Names the place of the node information, in the way of the NodeInfo protocol: outside of the API's base. */
export function addNodeInfo(app: Hono, forge: Forge, finish: (headers: Headers) => void): void {
  const href = `${forge.config.rootUrl}/api/v1/nodeinfo`;
  const links = [{ href, rel: "http://nodeinfo.diaspora.software/ns/schema/2.1" }];
  app.get("/.well-known/nodeinfo", countedByNetwork(forge, "light"), () => {
    const response = jsonAnswer(JSON.stringify({ links }), 200, new Headers());
    finish(response.headers);
    return response;
  });
}
