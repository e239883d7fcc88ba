import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { setRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue, withScopes } from "../make.ts";
import {
  api,
  at,
  boss,
  chance,
  find,
  integer,
  type Known,
  known,
  nameOf,
  namesOf,
  newest,
  olga,
  pick,
  places,
  post,
  random,
  rita,
  total,
  useSearch,
} from "./search-issues-world.ts";

useSearch();

const ofStrangers = ["olga/one", "rita/two", "guild/open"];

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

async function repositoryOf(id: number): Promise<TestRepository> {
  const { repositoryKey } = await import("#core/repository/repository.table");
  const repository = await api.forge.table.get<TestRepository["repository"]>(repositoryKey(id));
  if (repository === undefined) throw new Error("the repository is gone");
  return { repository, path: "" };
}

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
});
