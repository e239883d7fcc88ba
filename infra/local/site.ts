import { Hono } from "hono";
import type { Forge } from "#core/forge";
import { createApi } from "#functions/api/app";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";

/** Everything that is served on one machine: what the edge's router tells apart by path, here in one app. */
export function createSite(forge: Forge, options: { temporaryFolder: string }): Hono {
  const api = createApi({ forge, showsCost: true });
  const resolve = createGitResolver(forge);
  const git = besideGit(createGitApp({ forge, resolve, ...options }), forge);
  const site = new Hono();
  site.all("*", (context) => {
    const isApi = /^\/((api|avatars)(\/|$)|swagger\.v1\.json$)/.test(context.req.path);
    return (isApi ? api : git).fetch(context.req.raw, context.env);
  });
  return site;
}
