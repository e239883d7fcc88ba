import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refsOf } from "#tests/git/client/remotes";
import { git } from "#tests/git/pack/real-git";
import { type HandlersBehindEdge, startHandlersBehindEdge } from "#tests/support/edge/handlers-behind-edge";
import { whileWorking } from "#tests/support/mirror-work";
import { type ImportWorld, makeImportWorld, type Place } from "./world.ts";

/*
 * The script of docs/limits.md, as it is written there, through the edge to the Lambda handlers.
 */

const page = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "docs", "limits.md");
const [, script = ""] = /<!-- import -->\n```sh\n([\s\S]*?)```/.exec(readFileSync(page, "utf8")) ?? [];

let world: ImportWorld;
let lambda: HandlersBehindEdge;
let oneMachine: HandlersBehindEdge;
beforeAll(async () => {
  world = await makeImportWorld();
  lambda = await startHandlersBehindEdge(world.api.forge, { isReachable: true });
  oneMachine = await startHandlersBehindEdge(world.api.forge, { isReachable: false });
});
afterAll(async () => {
  await lambda.stop();
  await oneMachine.stop();
  await world.api.stop();
});

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
    const { url } = lambda;
    const place = await world.place();
    await writeFile(join(place.folder, "large"), randomBytes(5 * 2 ** 20));
    await git(place.folder, ["add", "large"]);
    await git(place.folder, ["commit", "-q", "-m", "large"]);
    const remote = `${url.replace("://", `://alice:${world.alice.token}@`)}${place.path.replace("/repos", "")}.git`;
    await expect(git(place.folder, ["push", "-q", remote, "main"])).rejects.toThrow(/HTTP 413/);
    await bringBoth(url, place);
  });

  it("the same script does on one machine, to addresses of ours", async () => {
    await bringBoth(oneMachine.url, await world.place());
  });
});
