import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawBadge } from "#functions/files/badge/draw";
import { besideGit } from "#functions/files/beside-git";
import { type RunWorld, startRuns, workflow } from "#tests/api/run/world";
import type { Caller } from "#tests/support/api";

let world: RunWorld;
let site: Hono;

beforeAll(async () => {
  world = await startRuns();
  await world.begin();
  site = besideGit(new Hono(), world.api.forge);
});
afterAll(() => world.api.stop());

async function ask(
  badge: string,
  options: { as?: Caller; headers?: Record<string, string>; name?: string } = {},
) {
  const { as, name = world.name } = options;
  const headers = { ...options.headers, ...(as && { authorization: `token ${as.token}` }) };
  const answer = await site.request(`/olga/${name}/${badge}`, { headers }, { clientAddress: "192.0.2.1" });
  const text = await answer.text();
  const [, says = ""] = /<title>(.*)<\/title>/.exec(text) ?? [];
  return { status: answer.status, headers: answer.headers, text, says };
}
const says = async (badge: string) => (await ask(badge)).says;

describe("badges of a repository", () => {
  it("showStarsBadge, showIssuesBadge, showOpenIssuesBadge, showClosedIssuesBadge, showPullsBadge, showOpenPullsBadge, showClosedPullsBadge: 200 with the numbers of now, by state too", async () => {
    await world.api.call("PUT", `/user/starred/olga/${world.name}`, { as: world.stranger });
    for (const title of ["one", "two"]) await world.json("POST", "issues", { title });
    await world.json("PATCH", "issues/1", { state: "closed" });
    expect(await says("badges/stars.svg")).toBe("stars: 1");
    expect(await says("badges/issues.svg")).toBe("issues: 2");
    expect(await says("badges/issues/open.svg")).toBe("issues: 1 open");
    expect(await says("badges/issues/closed.svg")).toBe("issues: 1 closed");
    expect(await says("badges/pulls.svg")).toBe("pulls: 0");
    expect(await says("badges/pulls/open.svg")).toBe("pulls: 0 open");
    expect(await says("badges/pulls/closed.svg")).toBe("pulls: 0 closed");
    for (const badge of ["badges/issues/all.svg", "badges/nothing.svg", "badges/"]) {
      expect((await ask(badge)).status).toBe(404);
    }
  });

  it("showReleaseBadge: 200 with the newest release, and with words while there is none", async () => {
    await world.push({ a: "1" });
    expect(await says("badges/release.svg")).toBe("release: not found");
    await world.json("POST", "releases", { tag_name: "v1&2" });
    await world.json("POST", "releases", { tag_name: "v3", draft: true });
    expect(await says("badges/release.svg")).toBe("release: v1&amp;2");
  });

  it("showWorkflowBadge, showBadgeOfWorkflow: 200 with the state of the newest run of a branch, and by event; where badge_url leads", async () => {
    expect(await says("badges/workflows/ci.yml/badge.svg")).toBe("ci.yml: no runs");
    await world.push({ ".forgejo/workflows/ci.yml": workflow("push") });
    const [{ badge_url: address }] = (await world.json("GET", "actions/workflows")).workflows;
    const badge = new URL(address).pathname.split("/").slice(3).join("/");
    expect(badge).toBe("actions/workflows/ci.yml/badge.svg");
    expect(await says(badge)).toBe("ci.yml: waiting");
    await world.work("success");
    expect(await says(badge)).toBe("ci.yml: success");
    await world.push({ b: "2" }, { branch: "dev", from: "main" });
    await world.work("failure");
    expect(await says(badge)).toBe("ci.yml: success");
    expect(await says(`${badge}?branch=dev`)).toBe("ci.yml: failure");
    expect(await says(`${badge}?event=push&style=flat`)).toBe("ci.yml: success");
    for (const event of ["schedule", "made-up"])
      expect(await says(`${badge}?event=${event}`)).toBe("ci.yml: no runs");
  });

  it("304 for a reader who has it; nothing runs in it, and nobody else keeps it", async () => {
    const { headers } = await ask("badges/stars.svg");
    expect(headers.get("content-type")).toBe("image/svg+xml");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect(headers.get("cache-control")).toBe("private, max-age=60, must-revalidate");
    const again = await ask("badges/stars.svg", { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  it("404 for what the caller may not see, as though it were absent (D-HIDDEN)", async () => {
    const all = [
      "stars",
      "release",
      "issues",
      "issues/open",
      "pulls",
      "pulls/open",
      "workflows/ci.yml/badge",
    ];
    const badges = [...all.map((one) => `badges/${one}.svg`), "actions/workflows/ci.yml/badge.svg"];
    await world.patch({ private: true });
    for (const badge of badges) {
      const [hidden, absent] = [await ask(badge), await ask(badge, { name: "nothing" })];
      expect([hidden.status, hidden.text.replace(world.name, "nothing")]).toEqual([404, absent.text]);
      expect((await ask(badge, { as: world.stranger })).status).toBe(404);
      expect((await ask(badge, { as: world.owner })).status).toBe(200);
    }
    await world.patch({ private: false, has_issues: false });
    expect((await ask("badges/issues.svg")).status).toBe(404);
  });

  it("are drawn of any text: markup is none, and what is too long is cut off", () => {
    const drawn = drawBadge({ label: `<script>"&'`, text: "x".repeat(300), color: "bad" });
    expect(drawn).not.toContain("<script");
    expect(drawn).toContain(`<title>&lt;script&gt;&quot;&amp;&#39;: ${"x".repeat(59)}…</title>`);
    const halves = drawBadge({ label: "a\u0000\ufffe", text: "\uffff\ud800", color: "bad" });
    expect(halves).not.toMatch(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/);
  });
});
