import { describe, expect, it } from "vitest";
import { remoteRefs, WorkingCopy } from "../../../git/http/real-git.ts";
import {
  alice,
  api,
  bob,
  boss,
  carol,
  checked,
  expectLeads,
  folders,
  give,
  leads,
  made,
  name,
  rename,
  served,
  useFormerNames,
} from "./rename-transfer-world.ts";

useFormerNames();

describe("a name that a repository had before it changed hands (semantics §1.3)", () => {
  it("leads on for API and git after a rename and a transfer", async () => {
    const copy = await WorkingCopy.init(folders);
    const first = await copy.commit({ "a.txt": "one\n" });
    await copy.git("push", "-q", served.url(`alice/${name}-a`, alice), "main");
    await give(`alice/${name}-b`, "carol");
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `carol/${name}-b`, [carol, bob, undefined]);
    expect(await remoteRefs(served.url(`alice/${name}-a`))).toEqual([`${first} refs/heads/main`]);
    const second = await copy.commit({ "a.txt": "two\n" });
    await copy.git("push", "-q", served.url(`alice/${name}-a`, carol), "main");
    expect(await remoteRefs(served.url(`carol/${name}-b`))).toEqual([`${second} refs/heads/main`]);
    await checked();
  });

  it("leads on when the recipient accepted, and under a former name of the owner's", async () => {
    const dora = await api.makeUser({ name: `dora-${made}` });
    const body = { new_owner: "carol" };
    const given = { new_owner: dora.name };
    expect(
      (await api.call("POST", `/repos/alice/${name}-b/transfer`, { as: alice, body: given })).status,
    ).toBe(201);
    const accepted = await api.call("POST", `/repos/alice/${name}-b/transfer/accept`, { as: dora });
    expect(accepted.status).toBe(202);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `${dora.name}/${name}-b`);
    const renamed = { as: boss, body: { new_username: `doris-${made}` } };
    expect((await api.call("POST", `/admin/users/${dora.name}/rename`, renamed)).status).toBe(204);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `doris-${made}/${name}-b`);
    await rename(`doris-${made}/${name}-b`, `${name}-c`);
    expect(
      (await api.call("POST", `/repos/doris-${made}/${name}-c/transfer`, { as: boss, body })).status,
    ).toBe(202);
    await expectLeads(
      [`alice/${name}-a`, `dora-${made}/${name}-b`, `doris-${made}/${name}-b`, `dora-${made}/${name}-c`],
      `carol/${name}-c`,
    );
    await checked();
  });

  it("leads on through several moves there and back", async () => {
    await give(`alice/${name}-b`, "carol");
    await rename(`carol/${name}-b`, `${name}-c`);
    await give(`carol/${name}-c`, "acme");
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `carol/${name}-b`, `carol/${name}-c`],
      `acme/${name}-c`,
    );
    await give(`acme/${name}-c`, "alice");
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `carol/${name}-b`, `carol/${name}-c`, `acme/${name}-c`],
      `alice/${name}-c`,
    );
    await rename(`alice/${name}-c`, `${name}-a`);
    await give(`alice/${name}-a`, "carol");
    await rename(`carol/${name}-a`, `${name}-b`);
    await expectLeads(
      [`alice/${name}-a`, `alice/${name}-b`, `alice/${name}-c`, `carol/${name}-a`, `acme/${name}-c`],
      `carol/${name}-b`,
    );
    await checked();
  });

  it("404: for callers who may not see the new owner's repository, and for git; 307 for those who may", async () => {
    const recluse = await api.makeUser({ name: `recluse-${made}`, visibility: "private" });
    await expectLeads([`alice/${name}-a`], `alice/${name}-b`, [alice, bob, undefined]);
    await give(`alice/${name}-b`, recluse.name);
    for (const as of [alice, alice, bob, undefined]) {
      for (const path of [`alice/${name}-a`, `alice/${name}-b`, `${recluse.name}/${name}-b`])
        expect([path, await leads(path, as)]).toEqual([path, 404]);
    }
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `${recluse.name}/${name}-b`, [recluse, boss]);
    await expect(remoteRefs(served.url(`alice/${name}-a`, bob))).rejects.toThrow();
    await checked();
  });
});
