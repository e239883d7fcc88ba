import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { S3Client } from "@aws-sdk/client-s3";
import { handle, streamHandle } from "hono/aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Blobs } from "#core/blobs";
import type { Forge } from "#core/forge";
import { lazy } from "#core/lazy";
import { createApi } from "#functions/api/app";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { behindOrigin } from "#functions/http/origin";
import { refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { presign } from "#tests/infra/local/presign";
import { type Edge, type EdgeOptions, startEdge } from "#tests/support/edge";
import { installLambdaStreaming } from "#tests/support/edge/response-stream";
import { makeForge, type TestForge } from "#tests/support/forge";
import { whileWorking } from "#tests/support/mirror-work";
import { type ImportWorld, makeImportWorld, type Place } from "./world.ts";

installLambdaStreaming();

/*
 * The script of docs/limits.md, as it is written there, through the edge to the Lambda handlers; and where clients reach
 * S3: the stand-in takes what `Blobs` signs for S3 under its own address.
 */

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "docs", "limits.md");
const [, script = ""] = /<!-- import -->\n```sh\n([\s\S]*?)```/.exec(readFileSync(page, "utf8")) ?? [];

let world: ImportWorld;
let beside: TestForge;
let client: S3Client;
const edges: Edge[] = [];
beforeAll(async () => {
  world = await makeImportWorld();
  beside = await makeForge();
  const { s3Endpoint: endpoint, region, credentials } = beside.standIns;
  client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
});
afterAll(async () => {
  for (const edge of edges) await edge.stop();
  client.destroy();
  await beside.stop();
  await world.api.stop();
});

/** What `Blobs` answers where clients reach S3, for the stand-in. */
const uploadUrl: Blobs["uploadUrl"] = (key, sizeBytes, expiresSeconds) => {
  const { bucket } = beside.standIns;
  const headers = { "content-length": String(sizeBytes), "if-none-match": "*" };
  return presign(client, { method: "PUT", bucket, key, expiresSeconds, headers });
};

type Handler = (...of: never[]) => unknown;

/** The handlers behind the edge; its address is theirs. */
async function start(isReachable: boolean, options: Partial<EdgeOptions> = {}): Promise<string> {
  const { forge: plain } = world.api;
  const forgeAt = (rootUrl: string): Forge => ({
    ...plain,
    config: { ...plain.config, rootUrl },
    ...(isReachable && { blobs: { ...plain.blobs, uploadUrl } }),
  });
  const handlers = lazy(async () => {
    const forge = forgeAt(edge.url);
    const git = besideGit(createGitApp({ forge, resolve: createGitResolver(forge) }), forge);
    return {
      api: handle(behindOrigin(createApi({ forge }), forge.config)) as Handler,
      git: streamHandle(behindOrigin(git, forge.config)) as Handler,
    };
  });
  const edge: Edge = await startEdge({
    api: async (...of: never[]) => (await handlers()).api(...of),
    git: async (...of: never[]) => (await handlers()).git(...of),
    ...options,
  });
  edges.push(edge);
  return edge.url;
}

async function run(url: string, place: Place, as = world.alice): Promise<string> {
  const { HOME: _, ...environment } = process.env;
  const names = { URL: url, REPO: place.path.replace("/repos/", ""), TOKEN: as.token };
  const env = { ...environment, ...names, HOME: place.folder, GIT_CONFIG_NOSYSTEM: "1" };
  const options = { cwd: place.folder, env };
  const asked = promisify(execFile)("sh", ["-euc", script], options);
  return (await whileWorking(world.api, asked)).stdout;
}

/** Runs it twice, for a history and for what came later. */
async function bringBoth(url: string, place: Place): Promise<void> {
  await git(place.folder, ["tag", "v1"]);
  expect(JSON.parse(await run(url, place))).toMatchObject({ status: "done", landed: 2, refused: [] });
  await world.commit(place.folder, 1);
  expect(JSON.parse(await run(url, place))).toMatchObject({ status: "done", landed: 1 });
  expect(await world.refs(place)).toEqual(await refsOf(place.folder));
}

describe("docs/limits.md: past the push limit", () => {
  it("a history that the edge refuses as a push comes as a bundle, straight to S3", async () => {
    const url = await start(true);
    const place = await world.place();
    await writeFile(join(place.folder, "large"), randomBytes(5 * 2 ** 20));
    await git(place.folder, ["add", "large"]);
    await git(place.folder, ["commit", "-q", "-m", "large"]);
    const remote = `${url.replace("://", `://alice:${world.alice.token}@`)}${place.path.replace("/repos", "")}.git`;
    await expect(git(place.folder, ["push", "-q", remote, "main"])).rejects.toThrow(/HTTP 413/);
    await bringBoth(url, place);
  });

  it("the same script does on one machine, to addresses of ours", async () => {
    await bringBoth(await start(false), await world.place());
  });
});
