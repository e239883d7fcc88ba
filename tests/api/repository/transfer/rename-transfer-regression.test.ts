import { describe, expect, it } from "vitest";
import { join, makeTeam } from "../../organization/make.ts";
import {
  alice,
  api,
  bob,
  boss,
  carol,
  checked,
  create,
  expectLeads,
  give,
  leads,
  made,
  name,
  read,
  useFormerNames,
} from "./rename-transfer-world.ts";

useFormerNames();

describe("a name that a repository had before it changed hands (semantics §1.3)", () => {
  it("leads on to an organization, whoever of it asks", async () => {
    await give(`alice/${name}-b`, "acme");
    await api.call("PATCH", `/repos/acme/${name}-b`, { as: carol, body: { private: true } });
    const team = await makeTeam(api, carol, "acme", `readers-${made}`, {
      units_map: { "repo.code": "read" },
      includes_all_repositories: true,
    });
    const reader = await api.makeUser();
    await join(api, carol, team, reader);
    await expectLeads([`alice/${name}-a`, `alice/${name}-b`], `acme/${name}-b`, [carol, reader, boss]);
    await checked();
  });

  it("is whose who takes it, and leads nowhere once that is gone", async () => {
    await give(`alice/${name}-b`, "carol");
    expect(await leads(`alice/${name}-a`, alice)).toBe(`carol/${name}-b`);
    const other = await create(alice, `${name}-a`);
    for (const as of [alice, alice, undefined, undefined])
      expect((await read(`alice/${name}-a`, as)).json.id).toBe(other);
    await expectLeads([`alice/${name}-b`], `carol/${name}-b`);
    expect((await api.call("DELETE", `/repos/alice/${name}-a`, { as: alice })).status).toBe(204);
    expect(await leads(`alice/${name}-a`, alice)).toBe(404);
    await checked();
  });

  it("leads the recipient of another transfer on, who may read it until they decide (semantics §24.6)", async () => {
    await api.call("PATCH", `/repos/alice/${name}-b`, { as: alice, body: { private: true } });
    await give(`alice/${name}-b`, "bob");
    const body = { new_owner: "acme" };
    expect((await api.call("POST", `/repos/bob/${name}-b/transfer`, { as: bob, body })).status).toBe(201);
    await expectLeads([`alice/${name}-a`], `bob/${name}-b`, [bob, carol]);
    expect(await leads(`alice/${name}-a`, alice)).toBe(404);
  });
});
