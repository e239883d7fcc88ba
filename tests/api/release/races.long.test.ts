import { afterAll, beforeAll, expect, it } from "vitest";
import { checkRepository } from "#core/lifecycle/check/check";
import { tick } from "#functions/workers/tick";
import { sendFile } from "#tests/api/attachment/make";
import { type ServedGit, serveGit } from "#tests/api/repository/serve-git";
import { git, temporaryFolder } from "#tests/git/pack/real-git";
import { type ReleaseWorld, startReleases } from "./world.ts";

let world: ReleaseWorld;
let served: ServedGit;
beforeAll(async () => {
  world = await startReleases();
  served = await serveGit(world.api);
});
afterAll(async () => {
  await served.stop();
  await world.api.stop();
});

const rounds = 12;

it("releases that are edited, published, moved and filled while git deletes and moves their tags stay whole (semantics §43.4)", async () => {
  await world.begin();
  const folder = await temporaryFolder();
  await git(folder, ["clone", "-q", served.url(`olga/${world.name}`, world.owner), "."]);
  const ids = [(await world.make({ tag_name: "v1" })).id, (await world.make({ tag_name: "v2" })).id];
  const push = (...refs: string[]) =>
    git(folder, ["push", "-q", "-f", "origin", ...refs]).catch(() => undefined);
  const statuses = new Set<number>();
  const note = async (answer: Promise<{ status: number }>) => void statuses.add((await answer).status);
  const edits = (id: number, at: number) => [
    note(world.call("PATCH", `releases/${id}`, { draft: at % 3 === 0, name: `round ${at}` })),
    note(world.call("PATCH", `releases/${id}`, { tag_name: `v${1 + ((at + id) % 3)}` })),
    note(sendFile(world.api, world.assets(id), world.owner, { name: `${at}.txt` })),
  ];
  for (let at = 0; at < rounds; at += 1) {
    await git(folder, ["commit", "-q", "--allow-empty", "-m", `round ${at}`]);
    const refs =
      at % 2 === 0 ? [":refs/tags/v1", "HEAD:refs/tags/v2"] : ["HEAD:refs/tags/v1", ":refs/tags/v2"];
    await Promise.all([push(...refs), ...ids.flatMap((id) => edits(id, at)), world.settle()]);
  }
  await world.settle();
  await tick(world.api.forge);
  expect([...statuses].filter((status) => ![200, 201, 404, 409].includes(status))).toEqual([]);
  const published = (await world.call("GET", "releases?draft=false")).json;
  for (const { tag_name } of published) expect(await world.tagged(tag_name), tag_name).toBeDefined();
  expect(await world.counter()).toBe(published.length);
  expect(await world.usage()).toEqual([2 * rounds, 2 * rounds * 5]);
  expect(await checkRepository(world.api.forge, world.id)).toEqual([]);
});
