import { Hono } from "hono";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";

const filePath =
  /^\/(?:-\/|attachments\/|[^/]+\/[^/]+\/(?:(?:raw|media|archive)\/|commit\/[^/]+\.(?:diff|patch)$))/;

/** Git, and the files beside it; these are loaded with the first request for one. */
export function besideGit(git: Hono, forge: Forge): Hono {
  const files = lazy(async () => (await import("./app.ts")).createFilesApp(forge));
  const front = new Hono();
  front.all("*", async (context) => {
    const isFile = filePath.test(new URL(context.req.url).pathname);
    return (isFile ? await files() : git).fetch(context.req.raw, context.env);
  });
  return front;
}
