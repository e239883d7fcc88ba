import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blockingRow, dependencyRow } from "#core/dependency/dependency.table";
import { put, remove, type Write } from "#core/table/write";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { writeMany } from "#tests/support/write-many";
import { openIssue } from "../issue/make.ts";
import { makeRepository, type TestRepository } from "../repository/make.ts";

let api: TestApi;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  api = await makeApi();
  owner = await api.makeUser({ name: "olga" });
  stranger = await api.makeUser({ name: "otto" });
});
afterAll(() => api.stop());

async function withIssues(as: Caller, count: number): Promise<TestRepository> {
  const where = await makeRepository(api, as);
  for (let number = 1; number <= count; number += 1) await openIssue(api, where, as);
  return where;
}
/** The status of letting an issue wait for another one, of the same repository unless said. */
async function wait(where: TestRepository, number: number, index: number, as: Caller, on = where) {
  const [, , ownerName] = on.path.split("/");
  const body = { index, owner: ownerName, repo: on.repository.name };
  return (await api.call("POST", `${where.path}/issues/${number}/dependencies`, { as, body })).status;
}

const writeAll = (rows: readonly Write[]) => writeMany(api.forge, rows);
const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

describe("issues of one repository that wait for one of another", () => {
  it("403: for whom the owner or the author of the other issue blocks; nothing is told there", async () => {
    const target = await withIssues(owner, 1);
    const author = await api.makeUser();
    await openIssue(api, target, author);
    const own = await withIssues(stranger, 1);
    for (const [index, blocker] of [
      [1, owner],
      [2, author],
    ] as const) {
      await api.call("PUT", "/user/blocks/otto", { as: blocker });
      expect(await wait(own, 1, index, stranger, target)).toBe(403);
      await api.call("DELETE", "/user/blocks/otto", { as: blocker });
      const told = await api.call("GET", `${target.path}/issues/${index}/timeline`, { as: owner });
      expect(told.json).toEqual([]);
    }
    expect(await wait(own, 1, 2, stranger, target)).toBe(201);
  });

  it("422: past 100 of one repository, and past 1,000 of others in all; never for the issue's own, nor its writers", async () => {
    const target = await withIssues(owner, 2);
    const [own, other] = [await withIssues(stranger, 1), await withIssues(owner, 1)];
    const at = { repositoryId: target.repository.id, number: 1 };
    const ofOtto = numbersFrom(100, 100).map((number) =>
      put(blockingRow(at, { repositoryId: own.repository.id, number })),
    );
    await writeAll(ofOtto);
    expect(await wait(own, 1, 1, stranger, target)).toBe(422);
    await api.forge.table.write(remove((ofOtto[0] as { put: { pk: string; sk: string } }).put));
    const strangers = numbersFrom(5_000_000, 10).flatMap((repositoryId) =>
      numbersFrom(1, 100).map((number) => put(blockingRow(at, { repositoryId, number }))),
    );
    await writeAll(strangers);
    expect(await wait(own, 1, 1, stranger, target)).toBe(422);
    expect(await wait(target, 2, 1, owner)).toBe(201);
    expect(await wait(other, 1, 1, owner, target)).toBe(201);
  });
});

describe("circles", () => {
  it("409 for one of two that would close a circle of four together; every issue can be closed", async () => {
    const where = await withIssues(owner, 12);
    for (let first = 1; first <= 12; first += 4) {
      const [a, b, c, d] = numbersFrom(first, 4) as [number, number, number, number];
      for (const [number, on] of [
        [a, b],
        [c, d],
      ] as const) {
        expect(await wait(where, number, on, owner)).toBe(201);
      }
      const both = await Promise.all([wait(where, b, c, owner), wait(where, d, a, owner)]);
      expect(both.sort()).toEqual([201, 409]);
    }
  });

  it("409: the same across repositories", async () => {
    const all = await Promise.all(numbersFrom(0, 4).map(() => withIssues(owner, 2)));
    const [a, b, c, d] = all as [TestRepository, TestRepository, TestRepository, TestRepository];
    for (const number of [1, 2]) {
      expect(await wait(a, number, number, owner, b)).toBe(201);
      expect(await wait(c, number, number, owner, d)).toBe(201);
      const both = [wait(b, number, number, owner, c), wait(d, number, number, owner, a)];
      expect((await Promise.all(both)).sort()).toEqual([201, 409]);
    }
  });

  it("422: where more issues wait for each other than are looked at: none is let in unseen", async () => {
    const where = await withIssues(owner, 2);
    const { id: repositoryId } = where.repository;
    const row = (number: number, on: number) =>
      put(dependencyRow({ repositoryId, number }, { repositoryId, number: on }));
    const near = numbersFrom(1_000, 90);
    await writeAll([
      ...near.map((number) => row(2, number)),
      ...near.flatMap((number) => numbersFrom(number * 10, 6).map((on) => row(number, on))),
    ]);
    expect(await wait(where, 1, 2, owner)).toBe(422);
    expect(await wait(where, 2, 1, owner)).toBe(201);
  });
});
