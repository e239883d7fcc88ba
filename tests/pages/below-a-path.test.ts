import { beforeAll, describe, expect, it } from "vitest";
import { git } from "#tests/git/http/real-git";
import type { Shown } from "#tests/support/browser";
import { makeRepository, pushFiles } from "#tests/support/code";
import { type PathProxy, startPathProxy } from "#tests/support/servers/path-proxy";
import { makeEnrolled } from "./enrolled.ts";
import { type PagesSite, startPages } from "./site.ts";

let proxy: PathProxy;
let site: PagesSite;
beforeAll(async () => {
  proxy = await startPathProxy("/git");
  site = await startPages({}, proxy);
});

const sessions = "/git/user/settings/sessions";
const formsOf = ({ forms }: Shown) => [...new Set(forms.map(({ action }) => action))];

describe("pages below a path of their host, which the proxy in front takes off (ROOT_URL)", () => {
  it("lead from the login to what was asked for, and back to the login", async () => {
    const olga = await site.api.makeUser({ name: "olga" });
    const browser = site.browser();
    const sent = await browser.get(`${sessions}?a=1`);
    expect(sent.location).toBe("/git/user/login?redirect_to=%2Fuser%2Fsettings%2Fsessions%3Fa%3D1");
    const login = await browser.get(sent.location ?? "");
    expect(formsOf(login)).toEqual(["/git/user/login"]);
    const goal = await browser.submit(login, { user_name: "olga", password: olga.password });
    expect([goal.status, goal.location]).toEqual([303, `${sessions}?a=1`]);
    const page = await browser.get(goal.location ?? "");
    expect([page.status, formsOf(page)]).toEqual([200, [sessions]]);
    expect((await browser.submit(page, { end: "others" })).location).toBe(sessions);
    const logout = await browser.get("/git/user/logout");
    expect((await browser.submit(logout, {})).location).toBe("/git/user/login");
    expect((await browser.get("/git/user/login/code")).location).toBe("/git/user/login");
    expect(proxy.strays).toEqual([]);
  });

  it("ask for the second factor", async () => {
    const { caller, now } = await makeEnrolled(site.api);
    const browser = site.browser();
    const asked = await site.signIn(browser, caller);
    expect(formsOf(asked)).toEqual(["/git/user/login/code"]);
    expect((await browser.submit(asked, { passcode: now() })).location).toBe(sessions);
  });

  it.each(["/../elsewhere", "/%2e%2e/elsewhere", "/a/../../elsewhere"])(
    "lead to nothing of the neighbors on the host: %s",
    async (goal) => {
      const answer = await site.signIn(site.browser(), await site.api.makeUser(), goal);
      expect(answer.location).toBe("/git/elsewhere");
    },
  );

  it("stand beside the API and git, whose links lead there as well", async () => {
    const { api } = site;
    const olga = await api.makeUser();
    await makeRepository(api, olga, "tale");
    const head = await pushFiles(api, olga, "tale", { files: { "a.md": "one\n" } });
    const answer = await fetch(`${site.url}/api/v1/repos/${olga.name}/tale`);
    const { clone_url } = (await answer.json()) as { clone_url: string };
    expect(clone_url).toBe(`${site.url}/${olga.name}/tale.git`);
    expect(await git(".", ["ls-remote", clone_url, "refs/heads/main"])).toContain(head);
    expect(proxy.strays).toEqual([]);
  });

  it("have cookies of their own beside another service on the host", async () => {
    const answer = await site.browser().get("/git/user/login");
    expect(answer.headers.get("set-cookie")).toMatch(/^coldforge_visit_git=[\w-]{32}; Path=\/; HttpOnly;/);
  });
});
