import { Hono } from "hono";
import type { Intake } from "#core/capacity/intake";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";

const filePath =
  /^\/(?:-\/|attachments\/|[^/]+\/[^/]+\/(?:(?:raw|media|archive|releases\/download|badges|actions\/workflows)\/|(?:commit|pulls)\/[^/]+\.(?:diff|patch)$))/;
const lfsPath = /^\/[^/]+\/[^/]+\/info\/lfs(?:\/|$)/;

const artifactPath = /^\/twirp\/github\.actions\.results\.api\.v1\.ArtifactService\//;

const mailPath = /^\/-\/mail\//;

const registryPath = /^\/api\/packages(?:\/|$)/i;

/**
 * Git, and what lies beside it: files, Git LFS, registries of packages, artifacts of jobs, links in mails. The first
 * request for any loads it.
 */
export function besideGit(git: Hono, forge: Forge, intake?: Intake): Hono {
  const files = lazy(async () => (await import("./app.ts")).createFilesApp(forge, intake));
  const lfs = lazy(async () => (await import("../lfs/app.ts")).createLfsApp({ forge, intake }));
  const packages = lazy(async () => (await import("../packages/app.ts")).createPackagesApp(forge, intake));
  const artifacts = lazy(async () =>
    (await import("../artifacts/app.ts")).createArtifactsApp({ forge, intake }),
  );
  const mail = lazy(async () => (await import("../mail/app.ts")).createMailApp(forge));
  const appFor = async ({ pathname, searchParams }: URL): Promise<Hono> => {
    if (registryPath.test(pathname)) return packages();
    if (mailPath.test(pathname)) return mail();
    if (artifactPath.test(pathname)) return artifacts();
    // A module may have folders of these names, too.
    if (searchParams.has("go-get")) return git;
    if (lfsPath.test(pathname)) return lfs();
    return filePath.test(pathname) ? files() : git;
  };
  const front = new Hono();
  front.all("*", async (context) => {
    const app = await appFor(new URL(context.req.url));
    return app.fetch(context.req.raw, context.env);
  });
  return front;
}
