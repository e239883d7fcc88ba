import type { ServerResponse } from "node:http";
import { Hono } from "hono";
import type { Intake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { createApi } from "#functions/api/app";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import type { LoopWatch } from "../loop-watch.ts";

/** Where Node writes the answer. */
interface NodeBindings {
  readonly outgoing?: ServerResponse;
}

/** Everything that one machine serves: the edge's router separates it by path, here it is one app. */
export function createSite(forge: Forge, intake: Intake, watch?: LoopWatch): Hono {
  const answerIn = (bindings: unknown) => (bindings as NodeBindings | undefined)?.outgoing;
  const api = createApi({ forge, intake, answerIn, showsCost: true });
  const resolve = createGitResolver(forge);
  const git = besideGit(createGitApp({ forge, intake, resolve }), forge, intake);
  const site = new Hono();
  site.all("*", (context) => {
    const { outgoing } = (context.env ?? {}) as NodeBindings;
    const { method, path } = context.req;
    if (watch !== undefined && outgoing !== undefined) {
      outgoing.once("close", watch.begin(`${method} ${path}`));
    }
    outgoing?.once("close", () => intake.reserved.get(outgoing)?.release());
    const isApi =
      /^\/((api(?!\/packages(\/|$))|avatars|user|login\/oauth)(\/|$)|swagger\.v1\.json$|\.well-known\/(nodeinfo|openid-configuration)$)/.test(
        path,
      );
    return (isApi ? api : git).fetch(context.req.raw, context.env);
  });
  return site;
}
