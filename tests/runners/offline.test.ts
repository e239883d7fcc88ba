import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerRunnerOffline } from "#core/runner/register-offline";
import { listRunners, removeRunner } from "#core/runner/runner";
import { runnerGuardKey } from "#core/runner/runner.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { callRunner } from "./client.ts";

let api: TestApi;
let owner: Caller;
let repositoryId = 0;
beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  repositoryId = await makeRepository(api, owner, "app");
});
afterAll(() => api.stop());

const secretOf = (digit: string, end = "0") => digit.repeat(39) + end;
const fetchTask = (uuid: string, token: string) =>
  callRunner(api.app, "runner.v1.RunnerService/FetchTask", {}, { as: { uuid, token } });

describe("a runner that an operator registers by a secret (semantics §60.5)", () => {
  it("has a UUID of the first 16 characters and the secret for its token; again it is changed (semantics §60.6-7)", async () => {
    const first = "0123456789abcdef0123456789abcdef01234567";
    const made = await registerRunnerOffline(api.forge, {
      secret: first,
      scope: "",
      labels: ["linux", "gpu"],
    });
    expect(made).toMatchObject({
      uuid: "30313233-3435-3637-3839-616263646566",
      ...{ name: "runner", labels: ["linux", "gpu"], place: { kind: "global" } },
    });
    expect((await fetchTask(made.uuid, first)).status).toBe(200);
    const second = `${first.slice(0, 16)}${"f".repeat(24)}`;
    const changed = await registerRunnerOffline(api.forge, { secret: second, scope: "", name: "other" });
    expect([changed.id, changed.uuid]).toEqual([made.id, made.uuid]);
    expect((await fetchTask(made.uuid, first)).status).toBe(401);
    expect((await fetchTask(made.uuid, second)).status).toBe(200);
    await registerRunnerOffline(api.forge, { secret: second, scope: "", labels: [] });
    const [now, ...more] = await listRunners(api.forge, [{ kind: "global" }]);
    expect([now?.name, now?.labels, more]).toEqual(["runner", [], []]);
  });

  it("belongs to an owner, or to a repository, in any case; elsewhere it is refused", async () => {
    const secret = secretOf("a");
    const ofOwner = await registerRunnerOffline(api.forge, { secret, scope: "OLGA" });
    expect(ofOwner.place).toEqual({ kind: "user", id: owner.user.id });
    const ofRepository = await registerRunnerOffline(api.forge, { secret: secretOf("b"), scope: "olga/App" });
    expect(ofRepository.place).toEqual({ kind: "repository", id: repositoryId, ownerId: owner.user.id });
    for (const scope of ["", "olga/app"]) {
      await expect(registerRunnerOffline(api.forge, { secret, scope })).rejects.toThrow("with another scope");
    }
    await removeRunner(api.forge, ofOwner.place, ofOwner.id);
    expect((await registerRunnerOffline(api.forge, { secret, scope: "" })).place).toEqual({ kind: "global" });
  });

  it("is known at once when it is registered anew elsewhere, after it was removed", async () => {
    const secret = secretOf("e");
    const former = await registerRunnerOffline(api.forge, { secret, scope: "olga/app" });
    expect((await fetchTask(former.uuid, secret)).status).toBe(200);
    await removeRunner(api.forge, former.place, former.id);
    expect((await fetchTask(former.uuid, secret)).status).toBe(401);
    const again = await registerRunnerOffline(api.forge, { secret, scope: "olga" });
    expect((await fetchTask(again.uuid, secret)).status).toBe(200);
    await removeRunner(api.forge, again.place, again.id);
    await registerRunnerOffline(api.forge, { secret, scope: "" });
    expect((await fetchTask(again.uuid, secret)).status).toBe(200);
    expect((await fetchTask(again.uuid, secretOf("e", "1"))).status).toBe(401);
  });

  it("takes jobs of a repository that has another owner, once it is registered there again", async () => {
    const secret = secretOf("9");
    await makeRepository(api, owner, "moved");
    await registerRunnerOffline(api.forge, { secret, scope: "olga/moved" });
    const { json } = await api.call("POST", "/orgs", { as: owner, body: { username: "acme" } });
    const body = { new_owner: "acme" };
    expect((await api.call("POST", "/repos/olga/moved/transfer", { as: owner, body })).status).toBe(202);
    const { id, uuid, place } = await registerRunnerOffline(api.forge, { secret, scope: "acme/moved" });
    expect(place).toMatchObject({ kind: "repository", ownerId: json.id });
    const shown = await api.call("GET", `/repos/acme/moved/actions/runners/${id}`, { as: owner });
    expect(shown.json).toMatchObject({ id, disabled: false });
    expect(await api.forge.table.get(runnerGuardKey(uuid))).toMatchObject({ place, runnerId: id });
  });

  it("is refused for a secret of another form, and for a scope that is not there", async () => {
    for (const secret of ["", "a".repeat(39), "a".repeat(41), "g".repeat(40), `${"a".repeat(39)}\n`]) {
      await expect(registerRunnerOffline(api.forge, { secret, scope: "" })).rejects.toThrow("40 hexadecimal");
    }
    for (const scope of ["nobody", "olga/nothing", "olga/app/more", "/", "olga/"]) {
      const asked = registerRunnerOffline(api.forge, { secret: secretOf("c"), scope });
      await expect(asked, scope).rejects.toThrow("there is no owner or repository");
    }
  });

  it("is one runner when two processes register it at once", async () => {
    const secret = secretOf("d");
    const both = [1, 2, 3].map(() => registerRunnerOffline(api.forge, { secret, scope: "olga" }));
    const ids = (await Promise.all(both)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(1);
    const place = { kind: "user", id: owner.user.id } as const;
    expect((await listRunners(api.forge, [place])).filter(({ id }) => ids.includes(id))).toHaveLength(1);
  });
});
