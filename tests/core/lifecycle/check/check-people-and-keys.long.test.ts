import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repairFindings } from "#core/lifecycle/check/check";
import { remove } from "#core/table/write";
import { createToken } from "#core/token/token";
import { tokenGuardKey } from "#core/token/token.table";
import { findingsAcross, findingsOf } from "#tests/support/findings";
import { violationsOfKeys } from "./key-violations.ts";
import { invariantsOf, mended, together } from "./make.ts";
import { violationsOfPeople } from "./people-violations.ts";
import { makeTableWorld, type TableWorld } from "./table-world.ts";

let on: TableWorld;
beforeAll(async () => {
  on = await makeTableWorld();
});
afterAll(() => on.world.test.stop());

/** No check of a repository reads what is damaged here. */
const across = () => findingsAcross(on.world);
const violations = [...violationsOfPeople(() => on), ...violationsOfKeys(() => on)];

describe("checkTable, of users, organizations and their keys", () => {
  it.each(together(violations))("finds and mends %s", async (_what, { plant, invariants }) => {
    await plant();
    const findings = await across();
    expect(invariantsOf(findings)).toEqual(invariants);
    expect(await mended(on.world.forge, findings, across)).toEqual({ left: 0, found: 0 });
  });

  it("gives a token that was made with another its guard back, with what bounds it", async () => {
    const { forge, actor } = on.world;
    const grant = {
      holderId: actor.user.id,
      tokenId: 1,
      isMinted: false,
      isPublicOnly: false,
      scopes: ["all"],
    };
    const given = { name: "minted", scopes: ["read:user"], expiresAt: 4_000_000_000 };
    const { token } = await createToken(forge, actor.user, given, grant);
    const guard = await forge.table.get(tokenGuardKey(token.hash));
    await on.world.write(remove(tokenGuardKey(token.hash)));
    const findings = await across();
    expect(JSON.stringify(findings)).not.toContain(token.hash);
    expect(await mended(forge, findings, across)).toEqual({ left: 0, found: 0 });
    expect(guard).toMatchObject({ mintedBy: { tokenId: 1 } });
    expect(await forge.table.get(tokenGuardKey(token.hash))).toEqual(guard);
  });

  it("takes a login at a provider from the account that it was turned to, and gives it back at the next run", async () => {
    const { forge } = on.world;
    const guard = await forge.table.get(on.loginGuard);
    await on.world.set(on.loginGuard, { userId: on.followedId });
    const findings = await across();
    expect(findings.map(({ invariant, key }) => [invariant, key])).toEqual(
      Array.from({ length: 2 }, () => [7, expect.stringContaining(on.loginGuard.pk)]),
    );
    await repairFindings(forge, findings);
    expect(await forge.table.get(on.loginGuard)).toBeUndefined();
    expect(await mended(forge, await across(), across)).toEqual({ left: 0, found: 0 });
    expect(await forge.table.get(on.loginGuard)).toEqual(guard);
  });

  it("leaves all repositories whole", async () => {
    expect(await findingsOf(on.world)).toEqual([]);
  });
});
