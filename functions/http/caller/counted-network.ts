import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { type Cost, countRequest } from "#core/caller/rates";
import type { Forge } from "#core/forge";
import { problemOf } from "../answer/problems.ts";
import { clientAddressOf } from "../client-address.ts";

/** Counts a request for a public resource against its network (D-RATE). */
export const countedByNetwork =
  (forge: Forge, cost: Cost): MiddlewareHandler =>
  async ({ req, env }, next) => {
    try {
      countRequest(forge, { address: clientAddressOf(env, req.raw.headers, forge.config) }, cost);
    } catch (refusal) {
      const { rootUrl } = forge.config;
      return problemOf(refusal, { rootUrl, requestId: randomUUID(), log: forge.log, form: undefined });
    }
    return next();
  };
