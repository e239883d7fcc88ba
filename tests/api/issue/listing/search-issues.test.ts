import { describe, expect, it } from "vitest";
import { openIssue, tableRequests, withScopes } from "../make.ts";
import {
  api,
  at,
  boss,
  find,
  known,
  nameOf,
  namesOf,
  newest,
  olga,
  places,
  rita,
  total,
  useSearch,
} from "./search-issues-world.ts";

useSearch();

describe("issueSearchIssues", () => {
  it("200: mostcomment, leastcomment and the two by due date order across repositories", async () => {
    const comments = async (sort: string) =>
      (await find(`?state=all&sort=${sort}&limit=50`, olga)).json.map(
        (one: { comments: number }) => one.comments,
      );
    const rising = known.map((one) => one.comments).sort();
    expect(await comments("leastcomment")).toEqual(rising);
    expect(await comments("mostcomment")).toEqual(rising.reverse());
    const [open] = known.filter(({ place, isClosed }) => place === "olga/one" && !isClosed);
    if (open === undefined) throw new Error("no open issue was made");
    const due = { as: olga, body: { due_date: "2031-01-01T00:00:00Z" } };
    await api.call("POST", `/repos/olga/one/issues/${open.number}/deadline`, due);
    for (const sort of ["nearduedate", "farduedate"]) {
      expect(namesOf(await find(`?sort=${sort}&limit=1`))).toEqual([nameOf(open)]);
    }
  });

  it("200: each row is what reading it alone answers; Link leads on; a page far past the end is empty", async () => {
    const answer = await find("?state=all&limit=2", olga);
    for (const row of answer.json) {
      const alone = await api.call("GET", `/repos/${row.repository.full_name}/issues/${row.number}`, {
        as: olga,
      });
      expect(row).toEqual(alone.json);
    }
    expect(answer.headers.get("link")).toContain('rel="next"');
    const beyond = await find("?state=all&page=100000", olga);
    expect([beyond.json, total(beyond)]).toEqual([[], known.length]);
  });

  it("200: team: what it has, for members of its organization; 400: unknown, without owner, for others", async () => {
    const ofTeam = known
      .filter(({ place }) => place === "guild/tools")
      .sort(newest)
      .map(nameOf);
    expect(namesOf(await find("?owner=guild&team=CREW&state=all&limit=50", rita))).toEqual(ofTeam);
    const ofGuild = known.filter(({ place }) => place.startsWith("guild/"));
    expect(total(await find("?owner=guild&team=owners&state=all", olga))).toBe(ofGuild.length);
    for (const query of ["?team=crew", "?owner=guild&team=none", "?owner=nobody", "?owner=olga&team=crew"]) {
      expect((await find(query, rita)).status, query).toBe(400);
    }
    expect((await find("?owner=guild&team=crew")).status).toBe(400);
  });

  it("404: an author who is not there; 422: times that are none, orders that nobody knows", async () => {
    expect((await find("?created_by=nobody")).status).toBe(404);
    for (const query of ["?since=yesterday", "?before=2024-01-01", "?sort=best", "?priority_repo_id=one"]) {
      expect((await find(query)).status, query).toBe(422);
    }
  });

  it("200: what the caller reviewed, or is asked to, is nothing where nobody reviews", async () => {
    for (const flag of ["review_requested", "reviewed"]) {
      expect(total(await find(`?state=all&${flag}=true`, olga)), flag).toBe(0);
      expect(total(await find(`?state=all&${flag}=false`, olga)), flag).toBe(known.length);
    }
  });

  it("200: mentioned: issues that mention the caller, among those that they may read", async () => {
    for (const place of ["olga/one", "olga/secret"]) {
      await openIssue(api, at(place), olga, { title: "For you", body: "@rita and @boss, look" });
    }
    expect((await find("?mentioned=1", rita)).json).toMatchObject([{ title: "For you" }]);
    expect(total(await find("?mentioned=1&owner=olga", boss))).toBe(2);
    expect(total(await find("?mentioned=1&created=1", boss))).toBe(0);
  });

  it("403: a token without the issue scope", async () => {
    expect((await find("", await withScopes(api, olga, ["read:repository"]))).status).toBe(403);
  });

  it("200: takes one request for each repository, few beside; flags about the caller only for their own", async () => {
    await find("?state=all", boss);
    const all = tableRequests(await find("?state=all", boss));
    expect(all).toBeLessThanOrEqual(places.length + 10);
    expect(tableRequests(await find("?state=all&created=true", boss))).toBeLessThan(all - places.length / 2);
  });
});
