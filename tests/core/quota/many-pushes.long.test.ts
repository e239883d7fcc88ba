import { afterAll, beforeAll, expect, it } from "vitest";
import { findOwnerAccess } from "#core/access/owner-access";
import { readQuota } from "#core/quota/quota";
import { createRepository } from "#core/repository/create";
import { pushToRepository } from "#core/repository/push";
import { cardPrefix, ownerPartition, type RepositoryCard } from "#core/repository/repository.table";
import { makeCommit } from "#tests/core/repository/commits";
import { makeApi, type TestApi } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";

let api: TestApi;
beforeAll(async () => {
  api = await makeApi();
});
afterAll(() => api.stop());

const repositories = 100;

it("100 pushes at once to 100 repositories of an organization: none is refused, and all are counted (QM-2)", async () => {
  const { forge } = api;
  const olga = await api.makeUser({ name: "olga", isAdmin: true });
  await api.call("POST", "/orgs", { as: olga, body: { username: "crowd" } });
  const actor = { user: olga.user };
  const target = await findOwnerAccess(forge, actor, "crowd");
  if (target === undefined) throw new Error("no organization");
  const made = [];
  for (let at = 0; at < repositories; at += 1) {
    made.push(await createRepository(forge, actor, target.owner, { name: `r${at}` }));
  }
  const outcomes = await Promise.all(
    made.map((repository, at) => {
      const { id, pack } = makeCommit({ message: `commit ${at}\n` });
      return pushToRepository(forge, repository, actor, {
        changes: [{ name: "refs/heads/main", new: id }],
        pack,
      });
    }),
  );
  const told = outcomes.map((one) => (one.kind === "done" ? one.results.map(({ refusal }) => refusal) : one));
  expect(told).toEqual(made.map(() => [undefined]));
  const pk = ownerPartition(target.owner.id);
  const cards = await forge.table.queryAll<RepositoryCard>({ pk, prefix: cardPrefix });
  const bytes = cards.reduce((sum, { gitBytes }) => sum + gitBytes, 0);
  expect(cards.filter(({ gitBytes }) => gitBytes > 0).length).toBe(repositories);
  expect((await readQuota(forge, target.owner.id)).usage.publicRepositories).toBe(bytes);
  expect((await findingsOf(api)).filter(({ invariant }) => [18, 44].includes(invariant))).toEqual([]);
});
