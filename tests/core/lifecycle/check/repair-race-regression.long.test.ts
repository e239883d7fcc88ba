import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RepositoryAccess } from "#core/access/repository-access";
import { takeCollaborator } from "#core/collaborator/collaborator";
import { collaboratorKey, collaboratorMirrorKey } from "#core/collaborator/collaborator.table";
import { createComment } from "#core/comment/comment";
import { entryRowKey } from "#core/comment/comment.table";
import { createIssue } from "#core/issue/issue";
import { issueKey } from "#core/issue/issue.table";
import { checkRepository, checkTable, repairFindings } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { entryKey, issueIndexPartition } from "#core/list-index/list-index.table";
import { createOrganization } from "#core/organization/create";
import { administratorsKey, nameGuardKey, ownerKey } from "#core/owner/owner.table";
import { removeRepository } from "#core/repository/removal/remove";
import { cardKey, countsKey, repositoryNameKey } from "#core/repository/repository.table";
import { put, remove } from "#core/table/write";
import { addTeamMember, removeTeamMember } from "#core/team/members";
import { membershipMirrorKey, type Team, teamKey, teamMemberKey } from "#core/team/team.table";
import { createToken, removeTokenByIdOrName } from "#core/token/token";
import { type TokenGuard, tokenGuardKey } from "#core/token/token.table";
import { createUser } from "#core/user/create";
import type { User } from "#core/user/user.table";
import { type CheckedWorld, makeCheckedWorld } from "./make.ts";

/** People correct, undo or remove the fault before the repair comes to it. */
interface Race {
  readonly what: string;
  readonly plant: () => Promise<unknown>;
  readonly meanwhile: () => Promise<unknown>;
  /** What a careless repair would have written. */
  readonly wrongly: () => Promise<unknown>;
}

let world: CheckedWorld;
let access: RepositoryAccess;
let bob: User;
let team: Team;
let organizationId: number;
beforeAll(async () => {
  world = await makeCheckedWorld();
  access = await world.makeRepository();
  bob = await createUser(world.forge, { name: "bob", email: "b@example.com", password: "correct-horse-9" });
  organizationId = (await createOrganization(world.forge, world.actor.user, { name: "acme" })).id;
  const [owners] = await world.forge.table.queryAll({ pk: `O#${organizationId}`, prefix: "TEAM#" });
  team = owners as Team;
});
afterAll(() => world.test.stop());

const id = () => access.repository.id;
const get = (key: { pk: string; sk: string }) => world.forge.table.get(key);
const whole = async () => {
  const findings: Finding[] = [];
  for await (const finding of checkTable(world.forge)) findings.push(finding);
  return findings;
};
const newToken = (name: string) => createToken(world.forge, bob, { name, scopes: ["all"] });
let lastToken: { hash: string };

const races: Race[] = [
  {
    what: "the guard of a token that was revoked (7)",
    async plant() {
      lastToken = (await newToken("race")).token;
      await world.write(remove(tokenGuardKey(lastToken.hash)));
    },
    meanwhile: () => removeTokenByIdOrName(world.forge, bob, "race"),
    wrongly: () => get(tokenGuardKey(lastToken.hash)),
  },
  {
    what: "the mirror of a membership that has ended (4)",
    async plant() {
      await addTeamMember(world.forge, team, bob.id);
      await world.write(remove(membershipMirrorKey(bob.id, organizationId)));
    },
    meanwhile: () => removeTeamMember(world.forge, team, bob.id),
    wrongly: () => get(membershipMirrorKey(bob.id, organizationId)),
  },
  {
    what: "the row of a member who has left the team (4)",
    async plant() {
      await addTeamMember(world.forge, team, bob.id);
      await world.write(remove(teamMemberKey(team.id, bob.id)));
    },
    async meanwhile() {
      await world.write(put({ ...teamMemberKey(team.id, bob.id), userId: bob.id, _v: 1 }));
      await removeTeamMember(world.forge, team, bob.id);
    },
    wrongly: () => get(teamMemberKey(team.id, bob.id)),
  },
  {
    what: "the mirror of a collaborator who was removed (6)",
    plant: () => world.write(put({ ...collaboratorKey(id(), bob.id), userId: bob.id, mode: "admin", _v: 1 })),
    meanwhile: () => takeCollaborator(world.forge, id(), bob.id),
    wrongly: () => get(collaboratorMirrorKey(bob.id, id())),
  },
  {
    what: "an administrator who is none any more (8)",
    plant: () => world.set(ownerKey(bob.id), { isAdmin: true }),
    meanwhile: () => world.set(ownerKey(bob.id), { isAdmin: false }),
    async wrongly() {
      const ids = (await get(administratorsKey))?.ids as Set<number>;
      return ids.has(bob.id) || undefined;
    },
  },
  {
    what: "the name of an owner who is called otherwise by now (1)",
    plant: () => world.write(remove(nameGuardKey("bob"))),
    async meanwhile() {
      await world.set(ownerKey(bob.id), { name: "robert" });
      await world.write(put({ ...nameGuardKey("robert"), ownerId: bob.id, kind: "user", _v: 1 }));
    },
    wrongly: () => get(nameGuardKey("bob")),
  },
];

describe("repair", () => {
  it.each(races)("does not write $what", async ({ plant, meanwhile, wrongly }) => {
    await plant();
    const findings = (await whole()).filter((finding) => finding.repair !== undefined);
    expect(findings).not.toEqual([]);
    await meanwhile();
    await repairFindings(world.forge, findings);
    expect(await wrongly()).toBeUndefined();
  });

  it("gives a token's guard the end that the token has", async () => {
    const expiresAt = Math.floor(world.test.clock.now() / 1000) + 3600;
    const { token } = await createToken(world.forge, bob, { name: "short", scopes: ["all"], expiresAt });
    await world.write(remove(tokenGuardKey(token.hash)));
    await repairFindings(world.forge, await whole());
    expect((await get(tokenGuardKey(token.hash))) as TokenGuard).toMatchObject({ expiresAt });
  });

  it("counts members and issues as they are when it writes, not as they were found", async () => {
    const { forge, actor } = world;
    await world.set(teamKey(organizationId, team.id), { members: 9 });
    await world.set(countsKey(id(), 0), { openIssues: 9 });
    const findings = [...(await whole())];
    await addTeamMember(forge, team, bob.id);
    await createIssue(forge, access, { title: "one more" }, actor);
    await repairFindings(forge, findings);
    expect((await whole()).filter(({ invariant }) => invariant === 4 || invariant === 11)).toEqual([]);
    expect(await get(teamKey(organizationId, team.id))).toMatchObject({ members: 2 });
  });

  it("writes neither name, card nor entries of a repository that was deleted meanwhile", async () => {
    const { forge, actor } = world;
    const own = await world.makeRepository();
    const { repository } = own;
    const nameKey = repositoryNameKey(repository.ownerId, repository.name);
    const comment = await createComment(forge, own, 1, "here", actor);
    await world.write(remove(nameKey));
    await world.write(remove(cardKey(repository.ownerId, repository.id)));
    await world.write(remove(entryRowKey(repository.id, comment.id)));
    await world.write(remove(entryKey(issueIndexPartition(repository.id), 2)));
    const findings = await checkRepository(forge, repository.id);
    expect(findings.length).toBeGreaterThanOrEqual(4);
    await world.write(put({ ...nameKey, repositoryId: repository.id, _v: 1 }));
    await world.write(
      put({ ...cardKey(repository.ownerId, repository.id), repositoryId: repository.id, _v: 1 }),
    );
    await removeRepository(forge, actor, repository);
    await world.write(remove(issueKey(repository.id, 2)));
    const { mended } = await repairFindings(
      forge,
      findings.filter(({ invariant }) => invariant === 2),
    );
    expect(mended).toBe(0);
    expect(await get(nameKey)).toBeUndefined();
    expect(await get(cardKey(repository.ownerId, repository.id))).toBeUndefined();
  });

  it("goes on past a repair that throws, and tells of it", async () => {
    const [one, other] = [{ ...nameGuardKey("x1") }, { ...nameGuardKey("x2") }];
    for (const key of [one, other]) await world.write(put({ ...key, ownerId: 999, kind: "user", _v: 1 }));
    const findings = (await whole()).filter(({ invariant }) => invariant === 1);
    const broken = { ...(findings[0] as Finding), repair: () => Promise.reject(new Error("no")) };
    const report = await repairFindings(world.forge, [broken, ...findings.slice(1)]);
    expect(report).toMatchObject({ mended: findings.length - 1, failed: [{ finding: broken }] });
    expect(world.test.logged.map(({ event }) => event)).toContain("check:repair-failed");
  });
});
