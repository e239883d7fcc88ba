import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ActionsPlace } from "#core/actions/place";
import { checkTable, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import {
  deactivateRegistrationToken,
  placeOfRegistrationToken,
  registrationToken,
  runnerSecretHash,
} from "#core/runner/registration-token";
import { listRunners, registerRunner, registerRunnerByToken } from "#core/runner/runner";
import {
  type Runner,
  registrationTokenGuardKey,
  registrationTokenKey,
  runnerGuardKey,
  runnerKey,
} from "#core/runner/runner.table";
import { createSecrets } from "#core/secrets";
import { put, remove } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { withMeanwhile } from "#tests/support/race/meanwhile";

let api: TestApi;
let owner: Caller;
beforeAll(async () => {
  api = await makeApi({ settings: { DELETED_REPOSITORY_RETENTION: "0" } });
  owner = await api.makeUser({ name: "olga" });
});
afterAll(() => api.stop());

const everywhere: ActionsPlace = { kind: "global" };
const always = () => true;

describe("registering by a token (semantics §60.3)", () => {
  it("makes runners of the token's place, as many as come; the token stays (B-17d)", async () => {
    const token = await registrationToken(api.forge, everywhere);
    const given = { name: "r", version: "v1", labels: ["a", "b", "a", ""] };
    const first = await registerRunnerByToken(api.forge, token, given);
    const second = await registerRunnerByToken(api.forge, token, given);
    expect(first?.runner).toMatchObject({ place: everywhere, version: "v1", labels: ["a", "b"] });
    expect(second?.runner.uuid).not.toBe(first?.runner.uuid);
    expect(await registrationToken(api.forge, everywhere)).toBe(token);
    expect(await registerRunnerByToken(api.forge, "x".repeat(40), given)).toBeUndefined();
  });

  it("is refused when the token is deactivated meanwhile, and leaves nothing (B-17)", async () => {
    const place: ActionsPlace = { kind: "user", id: owner.user.id };
    const token = await registrationToken(api.forge, place);
    const deactivate = () => deactivateRegistrationToken(api.forge, place);
    const racing = withMeanwhile(api.forge, deactivate, always);
    await expect(registerRunnerByToken(racing, token, { name: "late" })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await listRunners(api.forge, [place])).toEqual([]);
  });

  it("makes a new token when the key that sealed the former one is lost", async () => {
    const place: ActionsPlace = { kind: "user", id: owner.user.id };
    const former = await registrationToken(api.forge, place);
    const secrets = createSecrets(Buffer.alloc(32, 9).toString("base64"));
    const renewed = await registrationToken({ ...api.forge, secrets }, place);
    expect(renewed).not.toBe(former);
    expect(await placeOfRegistrationToken(api.forge, former)).toBeUndefined();
    expect(await placeOfRegistrationToken(api.forge, renewed)).toEqual(place);
  });

  it("is refused with too many labels, too long ones, and for the 1,001st runner of a place", async () => {
    const refused = { code: "invalid" };
    const many = Array.from({ length: 51 }, (_, at) => `label-${at}`);
    const register = (labels: string[]) => registerRunner(api.forge, everywhere, { name: "r", labels });
    await expect(register(many)).rejects.toMatchObject(refused);
    await expect(register(["l".repeat(256)])).rejects.toMatchObject(refused);
    const place: ActionsPlace = { kind: "user", id: owner.user.id };
    const { runner } = await registerRunner(api.forge, place, { name: "r" });
    const copies = Array.from({ length: 999 }, (_, at): Runner => {
      const id = 1_000_000 + at;
      return { ...runner, ...runnerKey(place, id), id, uuid: `copy-${at}` };
    });
    await Promise.all(copies.map((copy) => api.forge.table.write(put(copy))));
    await expect(registerRunner(api.forge, place, { name: "r" })).rejects.toMatchObject(refused);
    await api.forge.table.removeAll(copies);
  });
});

/** A place with a runner and a token; the keys that have to go with it. */
async function furnish(place: ActionsPlace) {
  const text = await registrationToken(api.forge, place);
  const { runner } = await registerRunner(api.forge, place, { name: "r" });
  const guard = registrationTokenGuardKey(runnerSecretHash(text));
  return [runnerGuardKey(runner.uuid), guard, runnerKey(place, runner.id), registrationTokenKey(place)];
}

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of checkTable(api.forge)) if (finding.invariant !== 20) found.push(finding);
  return found;
}

describe("runners and the end of their place", () => {
  it("go with a repository, an organization and a user, with what leads to them", async () => {
    const brief = await api.makeUser({ name: "brief" });
    const boss = await api.makeUser({ name: "boss", isAdmin: true });
    const repository = await api.call("POST", "/user/repos", { as: owner, body: { name: "r" } });
    const organization = await api.call("POST", "/orgs", { as: owner, body: { username: "acme" } });
    const keys = [
      await furnish({ kind: "repository", id: repository.json.id, ownerId: owner.user.id }),
      await furnish({ kind: "organization", id: organization.json.id }),
      await furnish({ kind: "user", id: brief.user.id }),
    ].flat();
    expect((await api.forge.table.getAll(keys)).size).toBe(keys.length);
    const ends = ["/repos/olga/r", "/orgs/acme", "/admin/users/brief"];
    for (const path of ends) expect((await api.call("DELETE", path, { as: boss })).status).toBe(204);
    await finishJobs(api);
    expect((await api.forge.table.getAll(keys)).size).toBe(0);
    expect(await findings()).toEqual([]);
  });

  it("none comes to one that is gone", async () => {
    const { json } = await api.call("POST", "/orgs", { as: owner, body: { username: "gone" } });
    const place: ActionsPlace = { kind: "organization", id: json.id };
    expect((await api.call("DELETE", "/orgs/gone", { as: owner })).status).toBe(204);
    const refused = { code: "not-found" };
    await expect(registrationToken(api.forge, place)).rejects.toMatchObject(refused);
    await expect(registerRunner(api.forge, place, { name: "r" })).rejects.toMatchObject(refused);
  });
});

describe("invariant 47", () => {
  it("finds guards that are missing, and guards that lead nowhere, and mends both", async () => {
    const keys = await furnish(everywhere);
    const lost = keys.slice(0, 2);
    for (const key of lost) await api.forge.table.write(remove(key));
    const astray = [
      { ...runnerGuardKey("absent"), place: everywhere, runnerId: 77, _v: 1 },
      {
        ...registrationTokenGuardKey("absent"),
        place: { kind: "user", id: owner.user.id },
        _v: 1,
      },
    ];
    await deactivateRegistrationToken(api.forge, { kind: "user", id: owner.user.id });
    for (const item of astray) await api.forge.table.write(put(item));
    const found = await findings();
    expect(found.map(({ invariant }) => invariant)).toEqual([47, 47, 47, 47]);
    await repairFindings(api.forge, found);
    expect(await findings()).toEqual([]);
    expect((await api.forge.table.getAll(lost)).size).toBe(2);
    expect((await api.forge.table.getAll(astray)).size).toBe(0);
  });
});
