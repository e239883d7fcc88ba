import { createDeployKey } from "#core/deploy-key/deploy-key";
import { linkExternalLogin } from "#core/external-login/external-login";
import { externalHash, externalLoginGuardKey } from "#core/external-login/external-login.table";
import { createFollow } from "#core/follow/follow";
import { createOAuth2Application } from "#core/oauth2-application/oauth2-application";
import { oauth2ApplicationGuardKey } from "#core/oauth2-application/oauth2-application.table";
import { giveOAuth2Grant } from "#core/oauth2-grant/oauth2-grant";
import { oauth2GrantMirrorKey } from "#core/oauth2-grant/oauth2-grant.table";
import { createOrganization } from "#core/organization/create";
import { createPublicKey } from "#core/public-key/public-key";
import { keyGuardKey } from "#core/public-key/public-key.table";
import { createRepository } from "#core/repository/create";
import type { TableKey } from "#core/table/write";
import { giveRepository } from "#core/team/internal/repositories";
import type { Team } from "#core/team/team.table";
import { createUser } from "#core/user/create";
import { makeKeyLine } from "#tests/support/keys";
import { type CheckedWorld, makeCheckedWorld } from "./make.ts";

/** A world with an organization, its team and keys of every kind. */
export interface TableWorld {
  readonly world: CheckedWorld;
  readonly id: number;
  readonly organizationId: number;
  readonly teamId: number;
  /** A repository of the organization that its team was given. */
  readonly ownedId: number;
  /** A user that the actor follows. */
  readonly followedId: number;
  readonly userKeyGuard: TableKey;
  readonly deployKeyGuard: TableKey;
  readonly applicationGuard: TableKey;
  /** What the actor lets the application do, at the application. */
  readonly grantMirror: TableKey;
  /** What a login of the actor at a provider leads to them by. */
  readonly loginGuard: TableKey;
}

/** Starts one. */
export async function makeTableWorld(): Promise<TableWorld> {
  const world = await makeCheckedWorld();
  const { id } = (await world.makeRepository()).repository;
  const organization = await createOrganization(world.forge, world.actor.user, { name: "acme" });
  const [own, deployed] = [makeKeyLine(), makeKeyLine()];
  const ofUser = await createPublicKey(world.forge, world.actor.user.id, { title: "t", key: own });
  const deployKey = await createDeployKey(world.forge, id, { title: "t", key: deployed });
  const fields = { name: "ci", redirectUris: ["https://ci.example"], isConfidential: true };
  const { application } = await createOAuth2Application(world.forge, world.actor.user, fields);
  const agreed = { userId: world.actor.user.id, clientId: application.clientId, scopes: ["all"] };
  await giveOAuth2Grant(world.forge, agreed);
  const login = { source: "work", issuer: "https://login.example", subject: "alice-1" };
  const unsaid = { name: "", fullName: "", email: "" };
  await linkExternalLogin(world.forge, world.actor.user, { ...login, ...unsaid });
  const team = (await world.first(`O#${organization.id}`, "TEAM#")) as Team;
  const owned = await createRepository(world.forge, world.actor, organization, { name: "owned" });
  await giveRepository(world.forge, team, owned);
  const email = "followed@example.com";
  const followed = await createUser(world.forge, { name: "followed", email, password: "correct-horse-9" });
  await createFollow(world.forge, world.actor.user, followed);
  return {
    world,
    id,
    organizationId: organization.id,
    teamId: team.id,
    ownedId: owned.id,
    followedId: followed.id,
    userKeyGuard: keyGuardKey(ofUser.fingerprint),
    deployKeyGuard: keyGuardKey(deployKey.fingerprint),
    applicationGuard: oauth2ApplicationGuardKey(application.clientId),
    loginGuard: externalLoginGuardKey(externalHash(login.issuer, login.subject)),
    grantMirror: oauth2GrantMirrorKey(application.clientId, world.actor.user.id),
  };
}
