import { Hono } from "hono";
import type { Intake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";

const filePath =
  /^\/(?:-\/|attachments\/|[^/]+\/[^/]+\/(?:(?:raw|media|archive|releases\/download)\/|(?:commit|pulls)\/[^/]+\.(?:diff|patch)$))/;

/** Git, and the files beside it; the first request for a file loads the latter. */
export function besideGit(git: Hono, forge: Forge, intake?: Intake): Hono {
  const files = lazy(async () => (await import("./app.ts")).createFilesApp(forge, intake));
  const front = new Hono();
  front.all("*", async (context) => {
    const { pathname, searchParams } = new URL(context.req.url);
    // A module may have folders of these names, too.
    const isFile = filePath.test(pathname) && !searchParams.has("go-get");
    return (isFile ? await files() : git).fetch(context.req.raw, context.env);
  });
  return front;
}
