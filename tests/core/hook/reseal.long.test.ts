import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "#core/config";
import type { Forge } from "#core/forge";
import { editHook, getHook } from "#core/hook/hook";
import { type Hook, type HookParent, hookKey, sealedHooksKey } from "#core/hook/hook.table";
import { hookKeysOf } from "#core/hook/hook-keys";
import { resealHooks, resealingKind, startResealing } from "#core/hook/reseal";
import { areHookSecretsOutdated, areHookSecretsReadable, hookSecretsOf } from "#core/hook/secrets";
import { nextIds } from "#core/ids";
import { listJobs } from "#core/jobs/job";
import { createSecrets } from "#core/secrets";
import { put, remove } from "#core/table/write";
import { SimulatedCrash } from "#tests/support/faults";
import { holdStandIns, makeForge, type TestForge } from "#tests/support/forge";
import { finishJobs, runJobs } from "#tests/support/jobs";

const clear = { secret: "open sesame", authorizationHeader: "Bearer abc" };
const repositories = 30;

/** One of each kind of parent; repositories far apart, so that a job comes to them in several steps. */
const parents: readonly HookParent[] = [
  { kind: "system" },
  { kind: "default" },
  { kind: "organization", id: 2 },
  { kind: "repository", id: 1 },
  { kind: "repository", id: repositories },
];

/** A hook's secrets as sealed under the hook key of this SECRET_KEY. */
const sealedUnder = (key: string, id: number) => {
  const { seal } = createSecrets(hookKeysOf(key));
  return {
    secret: seal(clear.secret, `hook:${id}:secret`),
    authorizationHeader: seal(clear.authorizationHeader, `hook:${id}:authorization`),
  };
};

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const [former, present] = [keyOf(1), keyOf(2)];

describe("hooks' secrets, sealed under a former key", () => {
  let on: TestForge;
  let forge: Forge;
  /** The worker of webhooks, which has no SECRET_KEY, once nobody has the former one any more. */
  let worker: Forge;
  beforeAll(holdStandIns);
  beforeEach(async () => {
    on = await makeForge({ settings: { SECRET_KEY: `${present},${former}` } });
    forge = on.forge;
    worker = withKeys({ HOOK_KEY: hookKeysOf(present) });
    await nextIds(forge.table, "owner", 2);
    await nextIds(forge.table, "repository", repositories);
    await Promise.all(parents.map((parent, place) => leave(parent, place + 1, former)));
  });
  afterEach(() => on.stop());

  const withKeys = (keys: { HOOK_KEY?: string; SECRET_KEY?: string }): Forge => ({
    ...forge,
    config: { ...forge.config, ...pick(readConfig(keys)) },
  });
  const pick = ({ secretKey, hookKey }: Forge["config"]) => ({ secretKey, hookKey });

  async function leave(parent: HookParent, id: number, key: string): Promise<void> {
    const hook: Hook = {
      ...hookKey(parent, id),
      ...{ id, parent, type: "gitea", url: "https://ci.example/", contentType: "json", events: ["push"] },
      ...{ branchFilter: "", isActive: true, chat: {}, createdAt: 1, updatedAt: 1, v: 1, _v: 1 },
      ...sealedUnder(key, id),
    };
    await forge.table.write(put(hook));
  }
  const found = () => Promise.all(parents.map((parent, place) => getHook(forge, parent, place + 1)));
  async function expectAllSealedAgain(): Promise<void> {
    for (const hook of await found()) {
      expect(areHookSecretsReadable(worker, hook), hook.pk).toBe(true);
      expect(hookSecretsOf(worker, hook)).toEqual(clear);
      expect(hookSecretsOf(forge, hook)).toEqual(clear);
    }
  }

  it("can be read with the former key until the job has sealed them again; then with the present one alone", async () => {
    for (const hook of await found()) {
      expect(areHookSecretsReadable(worker, hook), hook.pk).toBe(false);
      expect(hookSecretsOf(forge, hook)).toEqual(clear);
    }
    expect(await startResealing(forge)).toBe(1);
    await finishJobs(on);
    await expectAllSealedAgain();
    expect((await found()).map(({ updatedAt }) => updatedAt)).toEqual(parents.map(() => 1));
  });

  it("are looked at once for each set of keys", async () => {
    expect([await startResealing(forge), await startResealing(forge)]).toEqual([1, 0]);
    await finishJobs(on);
    expect(await startResealing(forge)).toBe(0);
    const newest = keyOf(9);
    const rotated = withKeys({ SECRET_KEY: `${newest},${forge.config.secretKey}` });
    expect(await startResealing(rotated)).toBe(1);
    await finishJobs({ ...on, forge: rotated });
    for (const hook of await found()) {
      expect(hookSecretsOf(withKeys({ SECRET_KEY: newest }), hook), hook.pk).toEqual(clear);
    }
  });

  it("are sealed again even where a function of an older deploy still sealed one after the first pass", async () => {
    await startResealing(forge);
    await runJobs(on, resealingKind);
    await leave({ kind: "repository", id: 1 }, 4, former);
    await finishJobs(on);
    await expectAllSealedAgain();
  });

  it("are all sealed again though the job is killed at any of its writes", async () => {
    let writes = Number.POSITIVE_INFINITY;
    for (let write = 1; write <= writes; write += 1) {
      await Promise.all(parents.map((parent, place) => leave(parent, place + 1, former)));
      await forge.table.write(remove(sealedHooksKey));
      await startResealing(forge);
      on.faults.crashAt(write, write % 2 === 0 ? "before" : "after");
      await finishJobs(on).catch((error: unknown) => {
        if (!(error instanceof SimulatedCrash) && !on.faults.hasCrashed) throw error;
      });
      if (!on.faults.hasCrashed) writes = on.faults.writes;
      on.faults.recover();
      await finishJobs(on);
      await expectAllSealedAgain();
    }
    expect(writes).toBeGreaterThan(parents.length);
  });

  it("come out whole when two runs of the job and an edit meet", async () => {
    const [, , , parent] = parents as [HookParent, HookParent, HookParent, HookParent];
    const args = { keyIds: "", since: forge.clock.now() };
    const everything = async () => {
      let cursor: Parameters<typeof resealHooks.step>[2];
      for (;;) {
        const step = await resealHooks.step(forge, args, cursor);
        if ("done" in step || step.waitMs !== undefined) return;
        cursor = step.cursor;
      }
    };
    await Promise.all([everything(), everything(), editHook(forge, parent, 4, { branchFilter: "main" })]);
    await expectAllSealedAgain();
    expect(await getHook(forge, parent, 4)).toMatchObject({ branchFilter: "main" });
  });

  it("stay as they are where their key is lost, which is told once a pass and keeps no other hook waiting", async () => {
    await leave({ kind: "system" }, 1, keyOf(3));
    await startResealing(forge);
    await finishJobs(on);
    expect(await listJobs(forge)).toEqual([]);
    const [unreadable, ...others] = await found();
    expect(others.filter((hook) => areHookSecretsOutdated(forge, hook))).toEqual([]);
    expect(unreadable).toMatchObject({ v: 1 });
    expect(on.logged.filter(({ event }) => event === "hooks:key-missing")).toMatchObject([
      { hookId: 1 },
      { hookId: 1 },
    ]);
  });
});
