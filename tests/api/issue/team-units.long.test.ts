import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defined } from "#core/defined";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { join, makeOrganization, makeRepository, makeTeam } from "../organization/make.ts";

/**
 * Members of teams that give one unit alone, on a private and on a public repository of an organization with all units:
 * writers of issues, readers of issues, writers of pulls, writers of code.
 */
let api: TestApi;
let alice: Caller;
const roles = ["issues-writer", "issues-reader", "pulls-writer", "code-writer"] as const;
const members = new Map<string, Caller>();
const units = {
  "issues-writer": { "repo.issues": "write" },
  "issues-reader": { "repo.issues": "read" },
  "pulls-writer": { "repo.pulls": "write" },
  "code-writer": { "repo.code": "write" },
};
/** Ids by their names in paths, of each repository. */
const ids = { shut: {} as Record<string, number>, open: {} as Record<string, number> };
type Place = keyof typeof ids;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  await makeOrganization(api, alice, "acme");
  for (const name of ["shut", "open"] as const) {
    await makeRepository(api, alice, "acme", name, { private: name === "shut" });
    await make(name, "/issues", { title: "one" });
    for (const [key, path, body] of [
      ["comment", "/issues/1/comments", { body: "alice's" }],
      ["spare", "/issues/1/comments", { body: "alice's, too" }],
      ["label", "/labels", { name: "bug", color: "aabbcc" }],
      ["milestone", "/milestones", { title: "soon" }],
    ] as const) {
      ids[name][key] = (await make(name, path, body)).id;
    }
  }
  for (const role of roles) {
    const team = await makeTeam(api, alice, "acme", role, { permission: "read", units_map: units[role] });
    const member = await api.makeUser({ name: `the-${role}` });
    await join(api, alice, team, member);
    for (const name of ["shut", "open"]) {
      expect((await api.call("PUT", `/teams/${team}/repos/acme/${name}`, { as: alice })).status).toBe(204);
    }
    members.set(role, member);
  }
});
afterAll(() => api.stop());

async function make(place: Place, path: string, body: object) {
  const { status, json } = await api.call("POST", `/repos/acme/${place}${path}`, { as: alice, body });
  expect(status).toBe(201);
  return json;
}

const send = (place: Place, line: string, as: Caller | undefined, body: object | undefined) => {
  const [method = "", path = ""] = line.split(" ");
  const named = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_all, id: string) => String(ids[place][id]));
  const filled = body && JSON.parse(named(JSON.stringify(body)).replaceAll(/"(\d+)"/g, "$1"));
  return api.call(method, `/repos/acme/${place}${named(path)}`, { as, ...defined({ body: filled }) });
};

interface Row {
  readonly line: string;
  readonly body?: object;
  /** The answers for each role, in order: on the private repository, and on the public one. */
  readonly shut: readonly number[];
  readonly open: readonly number[];
}

const everybody = [200, 200, 200, 200];
/** When only administrators may, the role is checked before the unit (semantics §1.7). */
const nobody = [403, 403, 403, 403];
/** Reads, of which labels take no unit as in the family; then writes of issues; then of what issues and pulls share. */
const rows: readonly Row[] = [
  { line: "GET /issues", shut: [200, 200, 200, 404], open: everybody },
  { line: "GET /issues/1", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/1/comments", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/1/timeline", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/1/labels", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/1/times", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/comments/{comment}", shut: [200, 200, 404, 404], open: everybody },
  { line: "GET /issues/comments", shut: [200, 200, 200, 404], open: everybody },
  { line: "GET /labels", shut: everybody, open: everybody },
  { line: "GET /labels/{label}", shut: everybody, open: everybody },
  { line: "GET /milestones", shut: [200, 200, 200, 404], open: everybody },
  { line: "GET /milestones/{milestone}", shut: [200, 200, 200, 404], open: everybody },
  { line: "POST /issues", body: { title: "x" }, shut: [201, 201, 404, 404], open: [201, 201, 201, 201] },
  {
    line: "POST /issues/1/comments",
    body: { body: "mine" },
    ...{ shut: [201, 201, 404, 404], open: [201, 201, 201, 201] },
  },
  {
    line: "POST /issues/1/reactions",
    body: { content: "heart" },
    ...{ shut: [201, 201, 404, 404], open: [201, 201, 201, 201] },
  },
  {
    line: "PATCH /issues/1",
    body: { title: "changed" },
    ...{ shut: [201, 403, 404, 404], open: [201, 403, 403, 403] },
  },
  {
    line: "PATCH /issues/comments/{comment}",
    body: { body: "changed" },
    ...{ shut: [200, 403, 404, 404], open: [200, 403, 403, 403] },
  },
  {
    line: "POST /issues/1/labels",
    body: { labels: ["{label}"] },
    ...{ shut: [200, 403, 404, 404], open: [200, 403, 403, 403] },
  },
  {
    line: "POST /issues/1/deadline",
    body: { due_date: "2030-05-01T00:00:00Z" },
    ...{ shut: [201, 403, 404, 404], open: [201, 403, 403, 403] },
  },
  {
    line: "POST /issues/1/times",
    body: { time: 60 },
    ...{ shut: [200, 403, 404, 404], open: [200, 403, 403, 403] },
  },
  { line: "PUT /issues/1/lock", body: {}, shut: [204, 403, 404, 404], open: [204, 403, 403, 403] },
  { line: "DELETE /issues/1/lock", shut: [204, 403, 404, 404], open: [204, 403, 403, 403] },
  { line: "POST /issues/1/pin", shut: nobody, open: nobody },
  { line: "DELETE /issues/1", shut: nobody, open: nobody },
  {
    line: "POST /labels",
    body: { name: "new", color: "00ff00" },
    ...{ shut: [201, 403, 201, 404], open: [201, 403, 201, 403] },
  },
  {
    line: "PATCH /labels/{label}",
    body: { name: "defect" },
    ...{ shut: [200, 403, 200, 404], open: [200, 403, 200, 403] },
  },
  {
    line: "POST /milestones",
    body: { title: "later" },
    ...{ shut: [201, 403, 201, 404], open: [201, 403, 201, 403] },
  },
  {
    line: "PATCH /milestones/{milestone}",
    body: { title: "sooner" },
    ...{ shut: [200, 403, 200, 404], open: [200, 403, 200, 403] },
  },
  { line: "DELETE /labels/{label}", shut: [204, 403, 204, 404], open: [204, 403, 204, 403] },
  { line: "DELETE /milestones/{milestone}", shut: [204, 403, 204, 404], open: [204, 403, 204, 403] },
  {
    line: "DELETE /issues/comments/{spare}",
    ...{ shut: [204, 403, 404, 404], open: [204, 403, 403, 403] },
  },
];

/** Roles that may do it come last, because others need the things that they remove. */
const inOrder = (statuses: readonly number[]) =>
  roles
    .map((role, at) => ({ role, at, status: statuses[at] as number }))
    .sort((one, other) => other.status - one.status);

describe.each(["shut", "open"] as const)(
  "members of teams with one unit, on a repository that is %s",
  (place) => {
    it.each(rows.map((row) => ({ ...row, told: row[place].join(" ") })))(
      "$line: $told for writers of issues, readers of issues, writers of pulls, writers of code (semantics §1.7, §3.3, §3.5)",
      async ({ line, body, [place]: statuses }) => {
        const answers: number[] = [];
        const isRemoval = line.startsWith("DELETE /labels") || line.startsWith("DELETE /milestones");
        for (const { role, at, status } of inOrder(statuses)) {
          const answer = await send(place, line, members.get(role), body);
          // The second one finds it gone: a label is then removed once more, a milestone not.
          const isSecond = isRemoval && status === 204 && answers.includes(204);
          answers[at] = isSecond ? 204 : answer.status;
        }
        expect(answers).toEqual(statuses);
      },
    );
  },
);

describe("what members of teams with one unit are shown", () => {
  it("issueListIssues 200: writers of pulls see no issues of a private repository, in lists and in the search (B-18)", async () => {
    const as = members.get("pulls-writer");
    const list = await api.call("GET", "/repos/acme/shut/issues?state=all", { as });
    expect([list.json, list.headers.get("x-total-count")]).toEqual([[], "0"]);
    expect((await api.call("GET", "/repos/acme/shut/issues/comments", { as })).json).toEqual([]);
    const found = await api.call("GET", "/repos/issues/search?state=all&owner=acme&limit=50", { as });
    const names = new Set(
      found.json.map((one: { repository: { full_name: string } }) => one.repository.full_name),
    );
    expect([...names]).toEqual(["acme/open"]);
  });

  it("issueTrackedTimes 200: readers see their own times alone, writers of issues all; 403: another's by name", async () => {
    const body = { time: 30 };
    expect((await api.call("POST", "/repos/acme/shut/issues/1/times", { as: alice, body })).status).toBe(200);
    const [writer, reader] = [members.get("issues-writer"), members.get("issues-reader")];
    const times = async (as: Caller | undefined, query = "") =>
      api.call("GET", `/repos/acme/shut/issues/1/times${query}`, { as });
    expect((await times(writer)).json.map((one: { time: number }) => one.time)).toEqual([60, 30]);
    expect((await times(reader)).json).toEqual([]);
    expect((await times(reader, "?user=alice")).status).toBe(403);
  });
});
