import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { join, makeOrganization, makeTeam } from "../../organization/make.ts";
import { setRepository, type TestRepository } from "../../repository/make.ts";
import { addComment, openIssue, tableRequests, withScopes } from "../make.ts";

const random = createRandom();
const { pick, chance, integer } = random;

let api: TestApi;
let olga: Caller;
let rita: Caller;
let boss: Caller;
/** Full names, public except `guild/tools` and `olga/secret`. */
const places = ["olga/one", "rita/two", "guild/tools", "guild/open", "olga/secret"];
const ofStrangers = ["olga/one", "rita/two", "guild/open"];
const labelIds = new Map<string, number>();
const milestoneIds = new Map<string, number>();

/** The facts that a search is compared with. */
interface Known {
  readonly place: string;
  readonly number: number;
  readonly author: string;
  readonly assignee?: string;
  readonly label?: string;
  readonly milestone?: string;
  readonly isClosed: boolean;
  readonly comments: number;
  readonly created: number;
  readonly updated: number;
}
const known: Known[] = [];

const post = async (as: Caller, path: string, body: object) => {
  const answer = await api.call("POST", path, { as, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
};
const at = (place: string) => ({ path: `/repos/${place}` }) as TestRepository;

beforeAll(async () => {
  api = await makeApi();
  olga = await api.makeUser({ name: "olga" });
  rita = await api.makeUser({ name: "rita" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, olga, "guild");
  await post(olga, "/user/repos", { name: "one" });
  await post(rita, "/user/repos", { name: "two" });
  await post(olga, "/user/repos", { name: "secret", private: true });
  await post(olga, "/orgs/guild/repos", { name: "tools", private: true });
  await post(olga, "/orgs/guild/repos", { name: "open" });
  const team = await makeTeam(api, olga, "guild", "crew", { permission: "read", units: ["repo.issues"] });
  await api.call("PUT", `/teams/${team}/repos/guild/tools`, { as: olga });
  await join(api, olga, team, rita);
  for (const place of places) {
    const as = place.startsWith("rita") ? rita : olga;
    for (const name of ["bug", `only-${place}`]) {
      labelIds.set(
        `${place} ${name}`,
        (await post(as, `/repos/${place}/labels`, { name, color: "aabbcc" })).id,
      );
    }
    const milestone = await post(as, `/repos/${place}/milestones`, { title: "v1" });
    milestoneIds.set(place, milestone.id);
  }
  for (let made = 0; made < 24; made += 1) await makeIssue(pick(places));
});
afterAll(() => api.stop());

async function makeIssue(place: string): Promise<void> {
  api.clock.advance(1_000);
  const as = place.startsWith("rita") ? rita : olga;
  const label = chance(0.5) ? pick(["bug", `only-${place}`]) : undefined;
  const assignee = chance(0.4) ? as.name : undefined;
  const milestone = chance(0.4) ? "v1" : undefined;
  const closed = chance(0.3);
  const { number } = await openIssue(api, at(place), as, {
    ...{ title: `Issue ${known.length}`, closed },
    ...(label === undefined ? {} : { labels: [labelIds.get(`${place} ${label}`)] }),
    ...(assignee === undefined ? {} : { assignees: [assignee] }),
    ...(milestone === undefined ? {} : { milestone: milestoneIds.get(place) }),
  });
  const comments = integer(2);
  for (let made = 0; made < comments; made += 1) {
    api.clock.advance(1_000);
    await addComment(api, at(place), number, as, "talk");
  }
  const { created_at, updated_at } = (await api.call("GET", `/repos/${place}/issues/${number}`, { as })).json;
  known.push({
    ...{ place, number, author: as.name, isClosed: closed, comments },
    ...{ created: Date.parse(created_at), updated: Date.parse(updated_at) },
    ...defined({ label, assignee, milestone }),
  });
}

const find = (query = "", as?: Caller) => api.call("GET", `/repos/issues/search${query}`, { as });
const namesOf = (answer: Awaited<ReturnType<typeof find>>): string[] =>
  answer.json.map(
    (one: { number: number; repository: { full_name: string } }) =>
      `${one.repository.full_name}#${one.number}`,
  );
const total = (answer: Awaited<ReturnType<typeof find>>) => Number(answer.headers.get("x-total-count"));
const nameOf = ({ place, number }: Known) => `${place}#${number}`;
const newest = (one: Known, other: Known) => other.created - one.created;

const filters: readonly ((caller: string) => readonly [string, (one: Known) => boolean])[] = [
  () => ["labels=bug", ({ label }) => label === "bug"],
  () => ["labels=bug,only-olga/one", ({ label }) => label === "bug" || label === "only-olga/one"],
  () => ["labels=none-of-this-name", () => false],
  () => ["milestones=v1", ({ milestone }) => milestone === "v1"],
  () => ["milestones=v1,v9", ({ milestone }) => milestone === "v1"],
  () => ["owner=olga", ({ place }) => place.startsWith("olga/")],
  () => ["owner=GUILD", ({ place }) => place.startsWith("guild/")],
  () => ["created_by=rita", ({ author }) => author === "rita"],
  (caller) => ["created=true", ({ author }) => caller === "" || author === caller],
  (caller) => ["assigned=true", ({ assignee }) => caller === "" || assignee === caller],
  () => {
    const { updated } = pick(known);
    return [`since=${new Date(updated).toISOString()}`, (one) => one.updated >= updated];
  },
  () => {
    const { updated } = pick(known);
    return [`before=${new Date(updated).toISOString()}`, (one) => one.updated <= updated];
  },
  () => ["type=issues", () => true],
  () => ["type=pulls", () => false],
  () => ["q=talk", ({ comments }) => comments > 0],
  () => ["priority_repo_id=7", () => true],
];
const states: readonly (readonly [string, (one: Known) => boolean])[] = [
  ["", ({ isClosed }) => !isClosed],
  ["state=open", ({ isClosed }) => !isClosed],
  ["state=closed", ({ isClosed }) => isClosed],
  ["state=all", () => true],
];
const orders: readonly (readonly [string, (one: Known, other: Known) => number])[] = [
  ["", newest],
  ["sort=latest", newest],
  ["sort=oldest", (one, other) => -newest(one, other)],
  ["sort=recentupdate", (one, other) => other.updated - one.updated],
  ["sort=leastupdate", (one, other) => one.updated - other.updated],
];

describe("issueSearchIssues", () => {
  it(`200: any filters, orders and pages, with the total, are what brute force finds in what the caller may read (SEED=${random.seed})`, async () => {
    for (let round = 0; round < 30; round += 1) {
      const caller = pick([olga, rita, boss, null]) ?? undefined;
      const seen = caller === rita ? [...ofStrangers, "guild/tools"] : caller ? places : ofStrangers;
      const name = caller?.name ?? "";
      const chosen = [pick(filters)(name), ...(chance(0.5) ? [pick(filters)(name)] : [])];
      const [state, isOfState] = pick(states);
      const [sort, order] = pick(orders);
      const repeated = new Set(chosen.map(([text]) => text.split("=")[0])).size < chosen.length;
      if (repeated) continue;
      const [page, limit] = [1 + integer(3), 1 + integer(12)];
      const expected = known
        .filter((one) => seen.includes(one.place) && isOfState(one))
        .filter((one) => chosen.every(([, isMatch]) => isMatch(one)))
        .sort(order);
      const query = [...chosen.map(([text]) => text), state, sort, `page=${page}`, `limit=${limit}`];
      const text = `?${query.filter((one) => one !== "").join("&")}`;
      const answer = await find(text, caller);
      expect([answer.status, namesOf(answer), total(answer)], `${name} ${text}`).toEqual([
        200,
        expected.slice((page - 1) * limit, page * limit).map(nameOf),
        expected.length,
      ]);
    }
  });

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

  it("200: right after a change: closed, hidden, without the issues unit, deleted", async () => {
    const place = "olga/fresh";
    const created = await post(olga, "/user/repos", { name: "fresh" });
    const count = async (query: string, as?: Caller) => total(await find(`?owner=olga&${query}`, as));
    const before = await count("state=open");
    const { number } = await openIssue(api, at(place), olga, { title: "Now" });
    expect(await count("state=open")).toBe(before + 1);
    await api.call("PATCH", `/repos/${place}/issues/${number}`, { as: olga, body: { state: "closed" } });
    expect(await count("state=open")).toBe(before);
    expect(await count("created=true&state=closed", olga)).toBeGreaterThan(0);
    const stored = await repositoryOf(created.id);
    await setRepository(api, stored, { units: ["code"] });
    expect(namesOf(await find("?state=all&limit=50&sort=latest", olga))).not.toContain(`${place}#${number}`);
    await setRepository(api, stored, { units: ["code", "issues"] });
    await api.call("PATCH", `/repos/${place}`, { as: olga, body: { private: true } });
    expect(namesOf(await find("?state=all&limit=1"))).not.toContain(`${place}#${number}`);
    expect(namesOf(await find("?state=all&limit=1", olga))).toContain(`${place}#${number}`);
    const limited = await withScopes(api, olga, ["read:issue", "public-only"]);
    expect(namesOf(await find("?state=all&limit=1", limited))).not.toContain(`${place}#${number}`);
    await api.call("DELETE", `/repos/${place}`, { as: olga });
    expect(namesOf(await find("?state=all&limit=1", olga))).not.toContain(`${place}#${number}`);
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

async function repositoryOf(id: number): Promise<TestRepository> {
  const { repositoryKey } = await import("#core/repository/repository.table");
  const repository = await api.forge.table.get<TestRepository["repository"]>(repositoryKey(id));
  if (repository === undefined) throw new Error("the repository is gone");
  return { repository, path: "" };
}
