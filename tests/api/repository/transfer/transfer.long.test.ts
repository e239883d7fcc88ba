import { describe, expect, it } from "vitest";
import { findingsAtRest } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import { makeOrganization, makeTeam, namesIn } from "../../organization/make.ts";
import {
  alice,
  answer,
  api,
  bob,
  boss,
  carol,
  checked,
  folders,
  made,
  name,
  read,
  served,
  statusOf,
  transfer,
  useTransfers,
} from "./transfer-world.ts";

useTransfers();

describe("acceptRepoTransfer", () => {
  it("202 or 200: accepted and rejected at the same time, it is one of the two", async () => {
    await transfer("bob");
    const [accepted, rejected] = await Promise.all([answer("accept", bob), answer("reject", bob)]);
    expect([accepted.status === 202, rejected.status === 200].filter(Boolean)).toHaveLength(1);
    expect(await statusOf(`bob/${name}`, bob)).toBe(accepted.status === 202 ? 200 : 404);
    await checked();
  });
});

describe("repoTransfer", () => {
  it("leaves teams and drops collaborators who are members; others stay", async () => {
    await makeOrganization(api, alice, `from-${made}`);
    const from = `from-${made}`;
    await transfer(from);
    const old = await makeTeam(api, alice, from, "old");
    await api.call("PUT", `/teams/${old}/repos/${from}/${name}`, { as: alice });
    const stranger = await api.makeUser();
    for (const who of [bob.name, carol.name, stranger.name]) {
      await api.call("PUT", `/repos/${from}/${name}/collaborators/${who}`, { as: alice });
    }
    const body = { new_owner: "acme" };
    const { status } = await api.call("POST", `/repos/${from}/${name}/transfer`, { as: boss, body });
    expect(status).toBe(202);
    expect((await api.call("GET", `/teams/${old}`, { as: alice })).json.name).toBe("old");
    expect((await api.call("GET", `/teams/${old}/repos`, { as: alice })).json).toEqual([]);
    await finishJobs(api);
    const left = await api.call("GET", `/repos/acme/${name}/collaborators`, { as: carol });
    expect(namesIn(left)).toEqual([stranger.name]);
    await checked();
  });

  it("keeps what is in it: issues, refs, and pushes under the old path", async () => {
    const copy = await WorkingCopy.init(folders);
    const first = await copy.commit({ "a.txt": "one\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, alice), "main");
    await api.call("POST", `/repos/alice/${name}/issues`, { as: alice, body: { title: "kept" } });
    await transfer("carol", boss);
    expect((await read(`carol/${name}/issues/1`, carol)).json.title).toBe("kept");
    expect(await remoteRefs(served.url(`alice/${name}`, carol))).toEqual([`${first} refs/heads/main`]);
    const second = await copy.commit({ "a.txt": "two\n" });
    await copy.git("push", "-q", served.url(`alice/${name}`, carol), "main");
    expect(await remoteRefs(served.url(`carol/${name}`, carol))).toEqual([`${second} refs/heads/main`]);
    await checked();
  });

  it("a push that meets it lands before it, or is judged by the new rights", async () => {
    const copy = await WorkingCopy.init(folders);
    const tip = await copy.commit({ "a.txt": "one\n" });
    const [pushed, moved] = await Promise.all([
      copy.try("push", "-q", served.url(`alice/${name}`, alice), "main"),
      transfer("carol", boss),
    ]);
    expect(moved.status).toBe(202);
    const refs = await remoteRefs(served.url(`carol/${name}`, carol));
    expect(refs).toEqual(pushed.code === 0 ? [`${tip} refs/heads/main`] : []);
    await checked();
  });

  it("202 or 404: of a transfer and a deletion at the same time one is done", async () => {
    const [moved, removed] = await Promise.all([
      transfer("carol", boss),
      api.call("DELETE", `/repos/alice/${name}`, { as: alice }),
    ]);
    expect([moved.status === 202, removed.status === 204].filter(Boolean).length).toBeGreaterThan(0);
    expect(await statusOf(`carol/${name}`, carol)).toBe(removed.status === 204 ? 404 : 200);
    await finishJobs(api);
    await checked();
  });
});

it("after all of it the whole table holds together", async () => {
  await finishJobs(api);
  expect(await findingsAtRest(api)).toEqual([]);
});
