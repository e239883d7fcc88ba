import { afterAll, beforeAll, expect, it } from "vitest";
import { findPackage, findPackageVersion, listPackageFiles } from "#core/package/package";
import { publishFile } from "#core/package/publish";
import { removePackageVersion } from "#core/package/remove";
import { removePackage } from "#core/package/remove-package";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { hashedContent } from "./hashed-content.ts";

let api: TestApi;
let alice: Caller;
beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ isAdmin: true });
});
afterAll(() => api.stop());

const publish = async (name: string, version: string, fileName = "a") =>
  publishFile(
    api.forge,
    alice.user,
    { user: alice.user },
    {
      ...{ type: "generic", name, version, fileName, takesMoreFiles: true },
      file: await hashedContent(`${name} ${fileName}`),
    },
  );
const find = (name: string) => findPackage(api.forge, { ownerId: alice.user.id, type: "generic", name });

const noFindings = async () =>
  expect((await findingsOf(api)).filter(({ invariant }) => invariant !== 20)).toEqual([]);

it("a publication that is killed at any write is whole or absent, and can be repeated", async () => {
  const writes = await killedAtEach(
    api,
    (round) => publish(`p${round}`, "1"),
    async (round) => {
      const found = await find(`p${round}`);
      const version = found && (await findPackageVersion(api.forge, found.id, "1"));
      expect(version === undefined).toBe(found === undefined);
      if (version !== undefined) expect((await listPackageFiles(api.forge, version)).length).toBe(1);
      else await publish(`p${round}`, "1");
    },
  );
  expect(writes).toBeGreaterThan(4);
  await noFindings();
});

it("another file, a removal and that of a whole package are done or not, wherever they are killed", async () => {
  const of = async (round: number) => {
    const found = await find(`q${round}`);
    if (found === undefined) throw new Error("the package is gone");
    return found;
  };
  await Promise.all(
    Array.from({ length: 40 }, async (_, round) => {
      await publish(`q${round}`, "1");
      await publish(`q${round}`, "2");
    }),
  );
  await killedAtEach(api, (round) => publish(`q${round}`, "1", "b"), noFindings);
  const actor = { user: alice.user };
  await killedAtEach(
    api,
    async (round) => removePackageVersion(api.forge, actor, await of(round), "1"),
    noFindings,
  );
  await killedAtEach(api, async (round) => removePackage(api.forge, actor, await of(round)), noFindings);
  api.clock.advance(10 * 60_000);
  await finishJobs(api);
  await noFindings();
});
