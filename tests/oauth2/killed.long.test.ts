import { beforeAll, describe, expect, it } from "vitest";
import { listOAuth2Applications } from "#core/oauth2-application/oauth2-application";
import { listOAuth2Grants } from "#core/oauth2-grant/oauth2-grant";
import type { Caller } from "#tests/support/api";
import { findingsOf } from "#tests/support/findings";
import { finishJobs } from "#tests/support/jobs";
import { killedAtEach } from "#tests/support/race/killed-at-each";
import { type Provider, redirectUri, startProvider } from "./provider.ts";

let provider: Provider;
let alice: Caller;
let root: Caller;
beforeAll(async () => {
  provider = await startProvider();
  alice = await provider.api.makeUser({ name: "alice" });
  root = await provider.api.makeUser({ name: "root", isAdmin: true });
});

/** A user with an application that alice and the user let act for them. */
async function makeOwner(round: number) {
  const owner = await provider.api.makeUser({ name: `owner-${round}` });
  const app = await provider.register(owner);
  const code = await provider.codeFor(alice, app.client_id);
  await provider.codeFor(owner, app.client_id);
  const { client_id, client_secret } = app;
  const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
  const tokens = await provider.post("/login/oauth/access_token", { ...fields, client_id, client_secret });
  return { owner, app, token: String(tokens.json.access_token) };
}

const grantsOfAlice = async () => (await listOAuth2Grants(provider.api.forge, alice.user.id)).length;
const worksWith = async (token: string) =>
  (await provider.api.call("GET", "/user", { headers: { authorization: `bearer ${token}` } })).status === 200;

describe("a kill at any write", () => {
  it("of an application's deletion leaves it whole, or no token of it and in the end no grant", async () => {
    const { api } = provider;
    let made: Awaited<ReturnType<typeof makeOwner>> | undefined;
    await killedAtEach(
      api,
      async (round) => {
        api.faults.recover();
        made = await makeOwner(round);
        api.faults.crashAt(Math.floor(round / 2), round % 2 === 0 ? "before" : "after");
        await api.call("DELETE", `/user/applications/oauth2/${made.app.id}`, { as: made.owner });
      },
      async () => {
        if (made === undefined) throw new Error("nothing was made");
        const { owner, token } = made;
        api.clock.advance(60_000);
        await finishJobs(api);
        const isLeft = (await listOAuth2Applications(api.forge, owner.user)).length === 1;
        expect(await worksWith(token)).toBe(isLeft);
        expect(await grantsOfAlice()).toBe(isLeft ? 1 : 0);
        await api.call("DELETE", `/admin/users/${owner.name}`, { as: root });
        await finishJobs(api);
        expect(await grantsOfAlice()).toBe(0);
        expect(await findingsOf(api)).toEqual([]);
      },
    );
  });

  it("of a login, from the user's leave to new tokens, leaves a program that may begin anew", async () => {
    const { api } = provider;
    const owner = await api.makeUser({ name: "keeper" });
    const app = await provider.register(owner);
    const ask = async (fields: Record<string, string>) => {
      const { client_id, client_secret } = app;
      const asked = { client_id, client_secret, redirect_uri: redirectUri, ...fields };
      return (await provider.post("/login/oauth/access_token", asked)).json;
    };
    const logIn = async (user: Caller) => {
      const code = await provider.codeFor(user, app.client_id);
      const { refresh_token } = await ask({ grant_type: "authorization_code", code });
      return ask({ grant_type: "refresh_token", refresh_token: String(refresh_token) });
    };
    let user = alice;
    await killedAtEach(
      api,
      async (round) => {
        api.faults.recover();
        user = await api.makeUser({ name: `user-${round}` });
        api.faults.crashAt(Math.floor(round / 2), round % 2 === 0 ? "before" : "after");
        await logIn(user);
      },
      async () => {
        expect(await worksWith(String((await logIn(user)).access_token))).toBe(true);
        expect(await findingsOf(api)).toEqual([]);
      },
    );
  });
});
