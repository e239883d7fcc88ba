import { afterAll, beforeAll, expect, it } from "vitest";
import { countedBy } from "#core/forge";
import { countInto, noUsage } from "#core/meter";
import { besideGit } from "#functions/files/beside-git";
import { createGitApp } from "#functions/git/app";
import { createGitResolver } from "#functions/git/resolve";
import { makeApi } from "#tests/support/api";
import { type LfsAnswer, LfsWorld, named } from "./world.ts";

let world: LfsWorld;
beforeAll(async () => {
  const api = await makeApi({ simulation: false });
  world = new LfsWorld(api, [await api.makeUser({ name: "alice" }), await api.makeUser({ name: "bob" })]);
  await world.begin();
});
afterAll(() => world.api.stop());

/** What a request asks of the table and of S3. */
async function costOf(ask: (counted: LfsWorld) => Promise<LfsAnswer>): Promise<[LfsAnswer, string]> {
  const usage = noUsage();
  const forge = countedBy(world.api.forge, countInto(usage));
  const site = besideGit(createGitApp({ forge, resolve: createGitResolver(forge) }), forge);
  const counted = Object.assign(Object.create(world) as LfsWorld, { site });
  const answer = await ask(counted);
  expect(answer.status, answer.text).toBe(200);
  const { tableRequests, tableReadUnits, tableWriteUnits, blobReads, blobWrites } = usage;
  return [
    answer,
    `${tableRequests} requests, ${tableReadUnits} r, ${tableWriteUnits} w, ${blobReads} + ${blobWrites} of S3`,
  ];
}

it("batches, uploads, verifications and downloads ask this much of the stores", async () => {
  await world.upload("the process knows the names from now on");
  const objects = Array.from({ length: 10 }, (_, at) => named(`object ${at}`));
  const [{ json }, batch] = await costOf((counted) => counted.batch("upload", objects));
  const { actions } = json.objects[0];
  const [, put] = await costOf((counted) => counted.act(actions.upload, "PUT", { raw: "object 0" }));
  const [, verify] = await costOf((counted) => counted.act(actions.verify, "POST", { body: objects[0] }));
  const [, again] = await costOf((counted) => counted.batch("upload", objects.slice(0, 1)));
  const [{ json: there }, download] = await costOf((counted) =>
    counted.batch("download", objects.slice(0, 1)),
  );
  const [, get] = await costOf((counted) => counted.act(there.objects[0].actions.download, "GET"));
  expect({ batch, put, verify, again, download, get }).toEqual({
    batch: "15 requests, 29 r, 1 w, 0 + 0 of S3",
    put: "3 requests, 10 r, 8 w, 0 + 1 of S3",
    verify: "2 requests, 7 r, 0 w, 0 + 0 of S3",
    again: "2 requests, 7 r, 0 w, 0 + 0 of S3",
    download: "2 requests, 7 r, 0 w, 0 + 0 of S3",
    get: "1 requests, 7 r, 0 w, 1 + 0 of S3",
  });
});
