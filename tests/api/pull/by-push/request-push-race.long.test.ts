import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import type { RefResult } from "#core/git/refs/check-changes";
import { commitPush } from "#core/git/store/push/commit-push";
import { checkRepository } from "#core/lifecycle/check/check";
import { repositoryPushRules } from "#core/repository/push";
import { type Repository, repositoryKey } from "#core/repository/repository.table";
import { measured } from "#tests/support/measured";
import { withMeanwhile } from "#tests/support/race/meanwhile";
import { makeCommit } from "../../../core/repository/commits.ts";
import { makePullWorld, type PullWorld } from "../pull-world.ts";

let world: PullWorld;
beforeAll(async () => {
  world = await makePullWorld();
});
afterAll(() => world.api.stop());

const get = async (path: string) => (await world.api.call("GET", path, { as: world.alice })).json;
let made = 0;

/** A repository of alice's with the tip of its main branch, and pushes of hers to it. */
async function begin() {
  made += 1;
  const path = await world.makeRepository(`race-${made}`);
  const { id } = await get(path);
  const tip: string = (await get(`${path}/branches/main`)).commit.id;
  return { path, id, tip, push: (asked: Asked) => push(id, asked) };
}

interface Asked {
  readonly parent: string;
  readonly ref?: string;
  readonly options?: readonly string[];
  readonly old?: string;
  /** Happens between the judgement and the transaction. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Pushes a new commit by alice; answers it, and the fate of the ref. */
async function push(
  repositoryId: number,
  { parent, ref = "refs/for/main/topic", options = [], old, meanwhile = async () => undefined }: Asked,
): Promise<{ readonly id: string; readonly fate: RefResult | undefined }> {
  const { table } = world.api.forge;
  const repository = (await table.get<Repository>(repositoryKey(repositoryId))) as Repository;
  const { id, pack } = makeCommit({ parents: [parent], message: `Commit ${Math.random()}` });
  const forge = withMeanwhile(world.api.forge, meanwhile);
  const rules = repositoryPushRules(forge, repository, { user: world.alice.user });
  const change = { name: ref, new: id, ...defined({ old }) };
  const pushed = { changes: [change], pusherId: world.alice.user.id, pushOptions: options, pack };
  const outcome = await commitPush(forge, repositoryId, { ...pushed, ...rules });
  if (outcome.kind !== "done") throw new Error(outcome.kind);
  if (outcome.facts !== undefined) await rules.afterPush(outcome.facts);
  return { id, fate: outcome.results[0] };
}

const requests = async (path: string): Promise<[number, string, string][]> => {
  const list: { number: number; state: string; head: { sha: string } }[] = await get(
    `${path}/pulls?state=all&sort=oldest`,
  );
  return list.map(({ number, state, head }) => [number, state, head.sha]);
};
const lands = (number: number, isForced = false) =>
  expect.objectContaining({
    as: { isForced, change: expect.objectContaining({ name: `refs/pull/${number}/head` }) },
  });

describe("a push to refs/for while something else happens (decision 42)", () => {
  it("of which another made the request first: is refused, or moves that one by force", async () => {
    const { path, id, tip, push: pushNow } = await begin();
    let first = "";
    const other = async () => {
      first = (await pushNow({ parent: tip })).id;
    };
    const { fate } = await pushNow({ parent: tip, meanwhile: other });
    expect(fate?.refusal).toContain("takes away");
    const [[number, ...one] = [0], ...others] = await requests(path);
    expect([one, others]).toEqual([["open", first], []]);
    const moves = () => pushNow({ parent: first });
    const forced = await pushNow({ parent: tip, options: ["force-push"], meanwhile: moves });
    expect(forced.fate).toEqual(lands(number, true));
    expect(await requests(path)).toEqual([[number, "open", forced.id]]);
    expect(await checkRepository(world.api.forge, id)).toEqual([]);
  });

  it("that moves a closed one opens another; one whose base has moved knows the newest common commit", async () => {
    const { path, id, tip, push: pushNow } = await begin();
    const first = await pushNow({ parent: tip });
    const close = () =>
      world.api.call("PATCH", `${path}/pulls/1`, { as: world.alice, body: { state: "closed" } });
    const second = await pushNow({ parent: first.id, meanwhile: close });
    expect(second.fate).toEqual(lands(2));
    const moveBase = () => pushNow({ parent: tip, ref: "refs/heads/main", old: tip });
    const third = await pushNow({ parent: second.id, meanwhile: moveBase });
    expect(await requests(path)).toEqual([
      [1, "closed", first.id],
      [2, "open", third.id],
    ]);
    expect(await get(`${path}/pulls/2`)).toMatchObject({ merge_base: tip });
    expect(await checkRepository(world.api.forge, id)).toEqual([]);
  });

  it("whose base is deleted is refused; one whose process dies before its transaction leaves nothing", async () => {
    const { path, id, tip, push: pushNow } = await begin();
    await pushNow({ parent: tip, ref: "refs/heads/next" });
    const gone = await pushNow({
      ...{ parent: tip, ref: "refs/for/next/topic" },
      meanwhile: () => world.removeBranch(path, "next"),
    });
    expect(gone.fate?.refusal).toContain("there is no branch here");
    const dies = async () => {
      throw new Error("the process dies");
    };
    await expect(pushNow({ parent: tip, meanwhile: dies })).rejects.toThrow("dies");
    expect(await requests(path)).toEqual([]);
    const findings = await checkRepository(world.api.forge, id);
    expect(findings.filter(({ invariant }) => invariant !== 21)).toEqual([]); // a sweep finds the pack
  });
});

describe("what a push to refs/for costs", () => {
  it("one transaction, 11 requests and 32 written units at most, to open a request or to move it (decision 42)", async () => {
    const { tip, push: pushNow } = await begin();
    const opened = await measured(() => pushNow({ parent: tip }));
    const moved = await measured(() => pushNow({ parent: opened.result.id }));
    for (const { usage } of [opened, moved]) {
      expect(usage.operations["dynamodb:TransactWriteItems"]).toBe(1);
      expect(usage.tableRequests).toBeLessThanOrEqual(11);
      expect([usage.tableReadUnits <= 10, usage.tableWriteUnits <= 32]).toEqual([true, true]);
    }
  });
});
