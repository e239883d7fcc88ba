import { describe, expect, it } from "vitest";
import { openIssue } from "#tests/api/issue/make";
import { makeRepository } from "#tests/api/repository/make";
import { listed, tell, unreadOf } from "./make.ts";
import { toldPeople } from "./told-people.ts";

const { api, repository, people, commented, mark } = toldPeople();

describe("notifyGetList", () => {
  it("200: mentioned users, assignees and those who commented hear of it; watchers of everything", async () => {
    const { alice, bob: other, eve: third } = people;
    await commented(other, `@${third.name} look`);
    expect(await unreadOf(api, third)).toBe(1);
    await mark(third);
    await commented(alice);
    expect([await unreadOf(api, third), await unreadOf(api, other)]).toEqual([1, 1]);
    const watcher = await api.makeUser();
    await api.call("PUT", `${repository.path}/subscription`, { as: watcher });
    const worker = await api.makeUser();
    await api.call("PUT", `${repository.path}/collaborators/${worker.name}`, {
      as: alice,
      body: { permission: "write" },
    });
    await openIssue(api, repository, alice, { assignees: [worker.name] });
    await tell(api);
    expect([await unreadOf(api, watcher), await unreadOf(api, worker)]).toEqual([1, 1]);
  });

  it("200: who loses a repository loses what it told them (D-HIDDEN)", async () => {
    const { alice, bob: other } = people;
    const hidden = await makeRepository(api, alice, { isPrivate: true });
    const as = alice;
    const path = `${hidden.path}/collaborators/${other.name}`;
    await api.call("PUT", path, { as, body: { permission: "read" } });
    await api.call("PUT", `${hidden.path}/subscription`, { as: other });
    await openIssue(api, hidden, alice);
    await tell(api);
    const [one] = await listed(api, other);
    expect(await unreadOf(api, other)).toBe(1);
    await api.call("DELETE", path, { as });
    expect([await listed(api, other, "?all=true"), await unreadOf(api, other)]).toEqual([[], 0]);
    expect((await api.call("GET", `/notifications/threads/${one.id}`, { as: other })).status).toBe(404);
    await openIssue(api, hidden, alice);
    await tell(api);
    expect(await unreadOf(api, other)).toBe(0);
  });

  it("200: who rejects a repository loses what offered it, and late news of it; not of the next (semantics §54)", async () => {
    const { alice, bob: other } = people;
    const offer = () =>
      api.call("POST", `${repository.path}/transfer`, { as: alice, body: { new_owner: other.name } });
    const reject = () => api.call("POST", `${repository.path}/transfer/reject`, { as: other });
    await offer();
    await tell(api);
    expect(await unreadOf(api, other)).toBe(1);
    await reject();
    await tell(api);
    expect([await listed(api, other, "?all=true"), await unreadOf(api, other)]).toEqual([[], 0]);
    await offer();
    await reject();
    await tell(api); // of the offer, which is over
    expect(await unreadOf(api, other)).toBe(0);
    await offer();
    await tell(api);
    await reject();
    await offer();
    await tell(api); // the removal meets the next offer
    expect(await unreadOf(api, other)).toBe(1);
  });
});
