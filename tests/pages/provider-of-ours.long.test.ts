import { describe, expect, it } from "vitest";
import { listExternalLogins } from "#core/external-login/external-login";
import { findUserByName } from "#core/user/find";
import { startProvider } from "#tests/oauth2/provider";
import type { Browser, Shown } from "#tests/support/browser";
import { startPathProxy } from "#tests/support/servers/path-proxy";
import { startPages } from "./site.ts";

const callback = "/user/oauth2/ours/callback";
const sessions = "/user/settings/sessions";

/** Two of our services below these paths: the second lets people in whom the first has let in. */
async function startTwo(firstPath: string, secondPath: string) {
  const proxies = [await startPathProxy(firstPath), await startPathProxy(secondPath)] as const;
  const provider = await startProvider({}, proxies[0]);
  provider.api.clock.set(Date.now()); // programs check its tokens by the time of day
  const alice = await provider.api.makeUser({ name: "alice" });
  const registered = await provider.register(await provider.api.makeUser({ name: "root" }), {
    name: "Second forge",
    redirect_uris: [proxies[1].url + callback],
  });
  const { client_id, client_secret } = registered;
  const source = {
    ...{ name: "ours", issuer: provider.url, client_id, client_secret, auto_register: true },
    timeout_seconds: 20, // it makes its first signing key while it is asked, however busy the machine is
  };
  const settings = {
    OPENID_CONNECT_SOURCES: JSON.stringify([source]),
    OPENID_CONNECT_ALLOWED_HOST_LIST: "loopback",
  };
  const site = await startPages(settings, proxies[1]);
  const strays = () => proxies.flatMap((proxy) => proxy.strays);
  return { provider, site, alice, registered, strays };
}

type Two = Awaited<ReturnType<typeof startTwo>>;

/** Sends a browser from the second service to the first, which asks its user for consent. */
async function goForConsent({ provider, site, alice }: Two, here: Browser): Promise<[Browser, Shown]> {
  const login = await here.get(site.at("/user/login"));
  const [, link = ""] = /<a href="([^"]*)">Sign in with ours</.exec(login.text) ?? [];
  const { location: asked = "" } = await here.get(link);
  expect(asked).toMatch(new RegExp(`^${provider.url}/login/oauth/authorize\\?`));
  const there = provider.browser();
  const { location: signIn = "" } = await there.get(asked);
  const fields = { user_name: alice.name, password: alice.password };
  const between = await there.submit(await there.get(signIn), fields);
  const [, goal = ""] = /<a href="([^"]*)">Go on</.exec(between.text) ?? [];
  return [there, await there.get(goal.replaceAll("&amp;", "&"))];
}

describe("a service of ours that lets people in through another", () => {
  it.each([
    ["each at a host of its own", "", ""],
    ["each below a path of its host (ROOT_URL)", "/git", "/code/forge"],
  ])("asks for consent once, and knows them by the subject from then on: %s", async (_title, ...paths) => {
    const two = await startTwo(...(paths as [string, string]));
    const { provider, site, alice, registered } = two;
    const here = site.browser();
    const [there, consent] = await goForConsent(two, here);
    expect(consent.text).toContain("<h1>Let Second forge act for you?</h1>");
    const back = await there.submit(consent, { granted: "true" });
    expect(back.location).toMatch(new RegExp(`^${site.url}${callback}\\?code=`));
    const { status, location = "" } = await here.get(back.location ?? "");
    expect([status, location]).toEqual([303, site.at(sessions)]);
    const page = await here.get(location);
    expect(page.text).toContain("<h1>Sessions of alice</h1>");
    const user = await findUserByName(site.api.forge, "alice");
    expect(user).toMatchObject({ email: "alice@example.com", passwordHash: "" });
    expect(await listExternalLogins(site.api.forge, user?.id ?? 0)).toMatchObject([
      { issuer: provider.url, subject: String(alice.user.id), source: "ours" },
    ]);

    const again = site.browser();
    const { location: asked = "" } = await again.get(site.at("/user/oauth2/ours"));
    const { location: straightBack = "" } = await there.get(asked);
    expect((await again.get(straightBack)).location).toBe(site.at(sessions));
    expect((await again.get(site.at(sessions))).text).toContain("<h1>Sessions of alice</h1>");

    const programs = await there.get(provider.at("/user/settings/applications"));
    expect(programs.text).toContain("<td>Second forge</td>");
    const takenBack = await there.submit(programs, { client_id: registered.client_id });
    expect((await there.get(takenBack.location ?? "")).text).toContain("No program may act for you.");
    const third = await site.browser().get(site.at("/user/oauth2/ours"));
    expect((await there.get(third.location ?? "")).text).toContain("Let Second forge act for you?");
    expect(two.strays()).toEqual([]);
  });

  it("lets nobody in who doesn't agree", async () => {
    const two = await startTwo("", "");
    const here = two.site.browser();
    const [there, consent] = await goForConsent(two, here);
    const { location = "" } = await there.submit(consent, { granted: "false" });
    const answer = await here.get(location);
    expect([answer.status, here.cookies.has("coldforge_session")]).toEqual([403, false]);
    expect(await findUserByName(two.site.api.forge, "alice")).toBeUndefined();
  });
});
