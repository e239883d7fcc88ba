import { afterAll, beforeAll } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { createRandom } from "#tests/support/random";
import { join, makeOrganization, makeTeam } from "../../organization/make.ts";
import type { TestRepository } from "../../repository/make.ts";
import { addComment, openIssue } from "../make.ts";

export const random = createRandom();
export const { pick, chance, integer } = random;

export let api: TestApi;
export let olga: Caller;
export let rita: Caller;
export let boss: Caller;
/** Full names, public except `guild/tools` and `olga/secret`. */
export const places = ["olga/one", "rita/two", "guild/tools", "guild/open", "olga/secret"];
const labelIds = new Map<string, number>();
const milestoneIds = new Map<string, number>();

/** The facts that a search is compared with. */
export interface Known {
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
export const known: Known[] = [];

export const post = async (as: Caller, path: string, body: object) => {
  const answer = await api.call("POST", path, { as, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json;
};
export const at = (place: string) => ({ path: `/repos/${place}` }) as TestRepository;

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

export const find = (query = "", as?: Caller) => api.call("GET", `/repos/issues/search${query}`, { as });
export const namesOf = (answer: Awaited<ReturnType<typeof find>>): string[] =>
  answer.json.map(
    (one: { number: number; repository: { full_name: string } }) =>
      `${one.repository.full_name}#${one.number}`,
  );
export const total = (answer: Awaited<ReturnType<typeof find>>) =>
  Number(answer.headers.get("x-total-count"));
export const nameOf = ({ place, number }: Known) => `${place}#${number}`;
export const newest = (one: Known, other: Known) => other.created - one.created;

/** Makes it before the tests of a file, and takes it away after them. */
export function useSearch(): void {
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
}
