import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressKey } from "#core/attachment/attachment.table";
import { blockKey, blockMirrorKey } from "#core/block/block.table";
import { collaboratorMirrorKey } from "#core/collaborator/collaborator.table";
import { createDeployKey } from "#core/deploy-key/deploy-key";
import { outbox, resendOverdue } from "#core/events/outbox";
import { createFollow } from "#core/follow/follow";
import { followerKey } from "#core/follow/follow.table";
import { rootKey } from "#core/git/store/refs/refs.table";
import { gpgKeyGuardKey, gpgKeyKey } from "#core/gpg-key/gpg-key.table";
import { sequenceKey } from "#core/ids";
import { startJob } from "#core/jobs/job";
import { checkTable } from "#core/lifecycle/check/check";
import type { Finding } from "#core/lifecycle/check/finding";
import { compact } from "#core/list-index/internal/compaction";
import { entryKey, segmentKey } from "#core/list-index/list-index.table";
import { createOAuth2Application } from "#core/oauth2-application/oauth2-application";
import { oauth2ApplicationGuardKey } from "#core/oauth2-application/oauth2-application.table";
import { createOrganization } from "#core/organization/create";
import { administratorsKey, emailGuardKey, nameGuardKey, ownerKey } from "#core/owner/owner.table";
import { createPublicKey } from "#core/public-key/public-key";
import { keyGuardKey } from "#core/public-key/public-key.table";
import { quotaAssignmentKey, quotaMemberKey } from "#core/quota/quota.table";
import { createRepository } from "#core/repository/create";
import { repositoryDelta } from "#core/repository/listing/index-writes";
import { repositoryIndex } from "#core/repository/repository.index";
import {
  cardKey,
  type Repository,
  repositoryKey,
  repositoryNameKey,
} from "#core/repository/repository.table";
import { stopwatchKey } from "#core/stopwatch/stopwatch.table";
import { put, remove, type TableKey, update } from "#core/table/write";
import { giveRepository } from "#core/team/internal/repositories";
import {
  membershipMirrorKey,
  type Team,
  teamKey,
  teamMemberKey,
  teamRepositoryKey,
} from "#core/team/team.table";
import { tokenGuardKey, tokenNameKey } from "#core/token/token.table";
import { createUser } from "#core/user/create";
import { emailAddressKey, emailListingKey } from "#core/user/user.table";
import { makeKeyLine } from "#tests/support/keys";
import {
  type CheckedWorld,
  invariantsOf,
  makeCheckedWorld,
  mended,
  together,
  type Violation,
} from "./make.ts";

let world: CheckedWorld;
let id: number;
let organizationId: number;
let teamId: number;
/** A repository of the organization that its team was given. */
let ownedId: number;
/** A user that the actor follows. */
let followedId: number;
let userKeyGuard: TableKey;
let deployKeyGuard: TableKey;
let applicationGuard: TableKey;
beforeAll(async () => {
  world = await makeCheckedWorld();
  id = (await world.makeRepository()).repository.id;
  const organization = await createOrganization(world.forge, world.actor.user, { name: "acme" });
  organizationId = organization.id;
  const [own, deployed] = [makeKeyLine(), makeKeyLine()];
  const ofUser = await createPublicKey(world.forge, world.actor.user.id, { title: "t", key: own });
  const deployKey = await createDeployKey(world.forge, id, { title: "t", key: deployed });
  userKeyGuard = keyGuardKey(ofUser.fingerprint);
  deployKeyGuard = keyGuardKey(deployKey.fingerprint);
  const fields = { name: "ci", redirectUris: ["https://ci.example"], isConfidential: true };
  const { application } = await createOAuth2Application(world.forge, world.actor.user, fields);
  applicationGuard = oauth2ApplicationGuardKey(application.clientId);
  const team = (await world.first(`O#${organizationId}`, "TEAM#")) as Team;
  teamId = team.id;
  const owned = await createRepository(world.forge, world.actor, organization, { name: "owned" });
  ownedId = owned.id;
  await giveRepository(world.forge, team, owned);
  const email = "followed@example.com";
  const followed = await createUser(world.forge, { name: "followed", email, password: "correct-horse-9" });
  followedId = followed.id;
  await createFollow(world.forge, world.actor.user, followed);
});
afterAll(() => world.test.stop());

const whole = async () => {
  const findings: Finding[] = [];
  for await (const finding of checkTable(world.forge)) findings.push(finding);
  return findings;
};

const ofTable: Violation[] = [
  {
    what: "an address that the list of all addresses lacks",
    invariants: [7],
    plant: () => world.write(remove(emailListingKey("a@example.com"))),
  },
  {
    what: "an address in the list of all that nobody has",
    invariants: [7],
    plant: () => world.write(put({ ...emailListingKey("b@example.com"), userId: 500, _v: 1 })),
  },
  {
    what: "a membership that the user's list lacks",
    invariants: [4],
    plant: () => world.write(remove(membershipMirrorKey(world.actor.user.id, organizationId))),
  },
  {
    what: "a membership that the organization lacks",
    invariants: [4],
    plant: () =>
      world.write(put({ ...membershipMirrorKey(500, organizationId), organizationId, teamIds: [1], _v: 1 })),
  },
  {
    what: "a team that does not list a member",
    invariants: [4],
    plant: () => world.write(remove(teamMemberKey(teamId, world.actor.user.id))),
  },
  {
    what: "a team that lists who is no member",
    invariants: [4],
    plant: () => world.write(put({ ...teamMemberKey(teamId, 500), userId: 500, _v: 1 })),
  },
  {
    what: "a team that counts its members wrong",
    invariants: [4],
    plant: () => world.set(teamKey(organizationId, teamId), { members: 9 }),
  },
  {
    what: "a team that does not list a repository",
    invariants: [5],
    plant: async () => {
      const owned = await world.forge.table.get<Repository>(repositoryKey(ownedId));
      await world.write(remove(teamRepositoryKey(teamId, ownedId)));
      expect(owned?.teamIds).toEqual([teamId]);
    },
  },
  {
    what: "a team that lists a repository that was not given to it",
    invariants: [5],
    plant: () => world.write(put({ ...teamRepositoryKey(teamId, id), repositoryId: id, _v: 1 })),
  },
  {
    what: "a team that counts its repositories wrong",
    invariants: [5],
    plant: () => world.set(teamKey(organizationId, teamId), { repositories: 7 }),
  },
  {
    what: "a repository that names a team of another organization",
    invariants: [2, 5],
    plant: () => world.set(repositoryKey(id), { teamIds: [teamId] }),
  },
  {
    what: "a counter of ids that was set back",
    invariants: [9],
    plant: () => world.set(sequenceKey("issue"), { n: 1 }),
  },
  {
    what: "a picture that is not there",
    invariants: [21],
    isLeft: true,
    plant: () => world.set(repositoryKey(id), { avatar: "ab".repeat(32) }),
  },
  {
    what: "objects of a repository that is not there",
    invariants: [21],
    plant: () => world.forge.blobs.put("r/70002/p/ab.pack", Buffer.alloc(9)),
  },
  {
    what: "a segment of the list index of repositories that nothing names",
    invariants: [12],
    plant: () =>
      world.write(put({ ...segmentKey("DIR#repo", 1, "ab".repeat(8)), b: Buffer.alloc(9), _v: 1 })),
  },
  {
    what: "a collaboration that the repository does not know",
    invariants: [6],
    plant: () =>
      world.write(put({ ...collaboratorMirrorKey(500, id), repositoryId: id, mode: "read", _v: 1 })),
  },
  {
    what: "a block that the blocked user's list lacks",
    invariants: [23],
    plant: () =>
      world.write(
        put({ ...blockKey(organizationId, world.actor.user.id), userId: world.actor.user.id, _v: 1 }),
      ),
  },
  {
    what: "a block that nobody made",
    invariants: [23],
    plant: () => world.write(put({ ...blockMirrorKey(world.actor.user.id, 500), ownerId: 500, _v: 1 })),
  },
  {
    what: "a quota group that lacks an owner who is in it",
    invariants: [37],
    plant: () => {
      const key = quotaAssignmentKey(organizationId);
      return world.write(put({ ...key, ownerId: organizationId, groupIds: [7], v: 1, _v: 1 }));
    },
  },
  {
    what: "a quota group with an owner who is not in it",
    invariants: [37],
    plant: () => world.write(put({ ...quotaMemberKey(8, organizationId), ownerId: organizationId, _v: 1 })),
  },
  {
    what: "quota groups of an owner who is not there",
    invariants: [37],
    plant: () => world.write(put({ ...quotaAssignmentKey(501), ownerId: 501, groupIds: [], v: 1, _v: 1 })),
  },
  {
    what: "an address that leads to no attachment",
    invariants: [31],
    plant: () => world.write(put({ ...addressKey("a-uuid"), repositoryId: id, id: 7, _v: 1 })),
  },
  {
    what: "a stopwatch that its issue does not know of",
    invariants: [26],
    plant: () => {
      const userId = world.actor.user.id;
      const running = { userId, repositoryId: id, issueNumber: 1, startedAt: 1 };
      return world.write(put({ ...stopwatchKey(userId), ...running, _v: 1 }));
    },
  },
  {
    what: "a user's key that anybody else might add",
    invariants: [7],
    plant: () => world.write(remove(userKeyGuard)),
  },
  {
    what: "a deploy key that is counted wrong",
    invariants: [7],
    plant: () => world.set(deployKeyGuard, { repositories: 9 }),
  },
  {
    what: "a key that nobody has and nobody can add",
    invariants: [7],
    plant: () => world.write(put({ ...keyGuardKey("SHA256:x"), use: "user", keyId: 9, userId: 500, _v: 1 })),
  },
  {
    what: "a GPG key that its signatures do not lead to",
    invariants: [7, 9],
    plant: () => world.write(put({ ...gpgKeyKey(500, 1), id: 1, userId: 500, signingKeyIds: ["AA"], _v: 1 })),
  },
  {
    what: "a signature's key that is not there",
    invariants: [7],
    plant: () => world.write(put({ ...gpgKeyGuardKey("BB"), userId: 500, gpgKeyId: 2, _v: 1 })),
  },
  {
    what: "an OAuth2 application that its client id does not lead to",
    invariants: [7],
    plant: () => world.write(remove(applicationGuard)),
  },
  {
    what: "a client id of no OAuth2 application",
    invariants: [7],
    plant: () =>
      world.write(put({ ...oauth2ApplicationGuardKey("c"), userId: 500, applicationId: 9, _v: 1 })),
  },
  { what: "a user without a name", invariants: [1], plant: () => world.write(remove(nameGuardKey("alice"))) },
  {
    what: "a name that leads to nobody",
    invariants: [1],
    plant: () => world.write(put({ ...nameGuardKey("ghosts"), ownerId: 777, kind: "user", _v: 1 })),
  },
  {
    what: "a repository that is not in the list index",
    invariants: [2],
    plant: () => world.write(remove(entryKey("DIR#repo", id))),
  },
  {
    what: "a repository whose entry is another",
    invariants: [2],
    plant: () => world.set(repositoryKey(id), { isTemplate: true }),
  },
  {
    what: "a repository whose entry has other units",
    invariants: [2],
    plant: () => world.set(repositoryKey(id), { units: ["code"] }),
  },
  {
    what: "items of a repository that is not there",
    invariants: [3],
    isLeft: true,
    plant: () => world.write(put({ ...rootKey(70_000), v: 0, _v: 1 })),
  },
  {
    what: "a name of a repository that is not there",
    invariants: [3],
    plant: () =>
      world.write(put({ ...repositoryNameKey(world.actor.user.id, "gone"), repositoryId: 70_001, _v: 1 })),
  },
  {
    what: "a name that a repository does not have",
    invariants: [2],
    plant: () =>
      world.write(put({ ...repositoryNameKey(world.actor.user.id, "alias"), repositoryId: id, _v: 1 })),
  },
  {
    what: "a card at another owner",
    invariants: [2],
    plant: () => world.write(put({ ...cardKey(999, id), repositoryId: id, v: 1, _v: 1 })),
  },
  {
    what: "an entry of the list index that is wrong and as new as the repository",
    invariants: [2],
    plant: async () => {
      const entry = await world.forge.table.get(entryKey("DIR#repo", id));
      const e = Buffer.from(entry?.e as Uint8Array);
      e[1] = (e[1] ?? 0) ^ 2;
      await world.set(entryKey("DIR#repo", id), { e });
    },
  },
  {
    what: "an entry of the list index that is newer than the repository",
    invariants: [2],
    plant: async () => {
      await world.set(repositoryKey(id), { v: 900 });
      const repository = await world.forge.table.get<Repository>(repositoryKey(id));
      if (repository === undefined) throw new Error("the repository is gone");
      await world.write(repositoryDelta(repository));
      await compact(world.forge, repositoryIndex);
      await world.set(repositoryKey(id), { v: 901 - 500 });
    },
  },
  {
    what: "an address without its guard",
    invariants: [7],
    plant: () => world.write(remove(emailGuardKey("a@example.com"))),
  },
  {
    what: "a guard without its address",
    invariants: [7],
    plant: () => world.write(remove(emailAddressKey(world.actor.user.id, "a@example.com"))),
  },
  {
    what: "a token that opens nothing",
    invariants: [7],
    plant: async () =>
      world.write(
        remove(tokenGuardKey(String((await world.first(`U#${world.actor.user.id}`, "TOK#")).hash))),
      ),
  },
  {
    what: "a token that nobody sees",
    invariants: [7],
    plant: () =>
      world.write(
        put({
          ...tokenGuardKey("f".repeat(64)),
          tokenId: 5_000,
          userId: world.actor.user.id,
          scopes: [],
          _v: 1,
        }),
      ),
  },
  {
    what: "an administrator who is not counted",
    invariants: [8],
    plant: () => world.write(update(administratorsKey, { take: { ids: new Set([world.actor.user.id]) } })),
  },
  {
    what: "a follower whom the followed one does not know",
    invariants: [23],
    plant: () => world.write(remove(followerKey(followedId, world.actor.user.id))),
  },
  {
    what: "a follower who follows nobody",
    invariants: [23],
    plant: () =>
      world.write(put({ ...followerKey(world.actor.user.id, followedId), userId: followedId, _v: 1 })),
  },
  {
    what: "counts of followers that are wrong",
    invariants: [23],
    plant: () => world.write(update(ownerKey(followedId), { add: { followers: 3 } })),
  },
  {
    what: "an account that is not in the list index",
    invariants: [10],
    plant: () => world.write(remove(entryKey("DIR#user", world.actor.user.id))),
  },
  {
    what: "an item without a version",
    invariants: [22],
    isLeft: true,
    plant: () => world.write(put({ ...tokenNameKey(world.actor.user.id, "odd"), tokenId: 500 })),
  },
  {
    what: "an object of no kind that a noun declares",
    invariants: [21],
    isLeft: true,
    isAlone: true,
    plant: () => world.forge.blobs.put("odd/object", Buffer.alloc(9)),
  },
  {
    what: "an item of no kind that a noun declares",
    invariants: [22],
    isLeft: true,
    plant: () => world.write(put({ pk: "O#1", sk: "ODD", _v: 1 })),
  },
];

describe("checkTable", () => {
  it("finds nothing in what the verbs write", async () => {
    expect(await whole()).toEqual([]);
  });

  it.each(together(ofTable))("finds and mends %s", async (_what, { plant, invariants, isLeft = false }) => {
    await plant();
    const findings = await whole();
    expect(invariantsOf(findings)).toEqual(invariants);
    const left = isLeft ? findings.length : 0;
    expect(await mended(world.forge, findings, whole)).toEqual({ left, found: left });
    const odd = [{ pk: "O#1", sk: "ODD" }, tokenNameKey(world.actor.user.id, "odd")];
    for (const key of [rootKey(70_000), ...odd]) await world.write(remove(key));
    await world.forge.blobs.remove(["odd/object"]);
    await world.set(repositoryKey(id), { avatar: "" });
  });

  it("tells of events that nobody sent and jobs that nobody works on", async () => {
    const { forge } = world;
    world.test.clock.advance(60_000);
    await resendOverdue(forge); // events of the world's own changes
    const entry = outbox(forge, "webhooks", { kind: "delivery" });
    const job = startJob(forge, "count", {});
    await forge.table.transact([entry.write, job.write]);
    expect(invariantsOf(await whole())).toEqual([]);
    world.test.clock.advance(16 * 60_000);
    const findings = await whole();
    expect(findings.map(({ invariant, problem }) => [invariant, problem.slice(0, 12)])).toEqual([
      [20, "an event was"],
      [20, "the job coun"],
    ]);
  });
});
