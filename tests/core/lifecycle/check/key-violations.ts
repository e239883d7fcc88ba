import { externalLoginGuardKey } from "#core/external-login/external-login.table";
import { gpgKeyGuardKey, gpgKeyKey } from "#core/gpg-key/gpg-key.table";
import { oauth2ApplicationGuardKey } from "#core/oauth2-application/oauth2-application.table";
import { oauth2GrantMirrorKey } from "#core/oauth2-grant/oauth2-grant.table";
import { keyGuardKey } from "#core/public-key/public-key.table";
import { put, remove } from "#core/table/write";
import { type Token, tokenGuardKey } from "#core/token/token.table";
import type { Violation } from "./make.ts";
import type { TableWorld } from "./table-world.ts";

/** What may be wrong about keys, applications, logins at other services and tokens. */
export const violationsOfKeys = (on: () => TableWorld): Violation[] => [
  {
    what: "a user's key that anybody else might add",
    invariants: [7],
    plant: () => on().world.write(remove(on().userKeyGuard)),
  },
  {
    what: "a deploy key that is counted wrong",
    invariants: [7],
    plant: () => on().world.set(on().deployKeyGuard, { repositories: 9 }),
  },
  {
    what: "a key that nobody has and nobody can add",
    invariants: [7],
    plant: () =>
      on().world.write(put({ ...keyGuardKey("SHA256:x"), use: "user", keyId: 9, userId: 500, _v: 1 })),
  },
  {
    what: "a GPG key that its signatures do not lead to",
    invariants: [7, 9],
    plant: () =>
      on().world.write(put({ ...gpgKeyKey(500, 1), id: 1, userId: 500, signingKeyIds: ["AA"], _v: 1 })),
  },
  {
    what: "a signature's key that is not there",
    invariants: [7],
    plant: () => on().world.write(put({ ...gpgKeyGuardKey("BB"), userId: 500, gpgKeyId: 2, _v: 1 })),
  },
  {
    what: "an OAuth2 application that its client id does not lead to",
    invariants: [7],
    plant: () => on().world.write(remove(on().applicationGuard)),
  },
  {
    what: "a client id of no OAuth2 application",
    invariants: [7],
    plant: () =>
      on().world.write(put({ ...oauth2ApplicationGuardKey("c"), userId: 500, applicationId: 9, _v: 1 })),
  },
  {
    what: "what a user lets a program do, unknown to the program",
    invariants: [7],
    plant: () => on().world.write(remove(on().grantMirror)),
  },
  {
    what: "a program that a user lets do nothing",
    invariants: [7],
    plant: () => on().world.write(put({ ...oauth2GrantMirrorKey("c", 500), userId: 500, _v: 1 })),
  },
  {
    what: "a login at a provider that lets nobody in",
    invariants: [7],
    plant: () => on().world.write(remove(on().loginGuard)),
  },
  {
    what: "a login at a provider that opens an account which does not show it",
    invariants: [7],
    plant: () =>
      on().world.write(
        put({ ...externalLoginGuardKey("a".repeat(64)), userId: on().world.actor.user.id, _v: 1 }),
      ),
  },
  {
    what: "a token that opens nothing",
    invariants: [7],
    plant: async () =>
      on().world.write(
        remove(tokenGuardKey(String((await on().world.first(`U#${on().world.actor.user.id}`, "TOK#")).hash))),
      ),
  },
  {
    what: "a text that leads to a token which has another",
    invariants: [7],
    plant: async () => {
      const { id, userId, scopes } = (await on().world.first(
        `U#${on().world.actor.user.id}`,
        "TOK#",
      )) as Token;
      await on().world.write(put({ ...tokenGuardKey("e".repeat(64)), tokenId: id, userId, scopes, _v: 1 }));
    },
  },
  {
    what: "a token that nobody sees",
    invariants: [7],
    plant: () =>
      on().world.write(
        put({
          ...tokenGuardKey("f".repeat(64)),
          tokenId: 5_000,
          userId: on().world.actor.user.id,
          scopes: [],
          _v: 1,
        }),
      ),
  },
];
