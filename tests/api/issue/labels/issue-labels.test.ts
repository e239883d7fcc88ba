import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { entryPrefix, type TimelineEntry } from "#core/comment/comment.table";
import { issuePartition } from "#core/issue/issue.table";
import { makeOrganization } from "#tests/api/organization/make";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { holdTimeStill } from "#tests/support/still-time";
import { makeRepository, type TestRepository } from "../../repository/make.ts";
import { openIssue } from "../make.ts";

let api: TestApi;
let owner: Caller;
let author: Caller;
let where: TestRepository;

beforeAll(async () => {
  api = await makeApi();
  [owner, author] = [await api.makeUser({ name: "olga" }), await api.makeUser({ name: "arno" })];
});
beforeEach(async () => {
  where = await makeRepository(api, owner);
  await openIssue(api, where, author);
});
afterAll(() => api.stop());

const label = async (name: string, given: object = {}): Promise<number> => {
  const body = { name, color: "ff0000", ...given };
  return (await api.call("POST", `${where.path}/labels`, { as: owner, body })).json.id;
};
const exclusive = (name: string) => label(name, { exclusive: true });
const send = (method: string, body: object, as: Caller = owner, suffix = "") =>
  api.call(method, `${where.path}/issues/1/labels${suffix}`, { as, body });
const namesIn = (json: { name: string }[]) => json.map(({ name }) => name);
const carried = async () => namesIn((await api.call("GET", `${where.path}/issues/1/labels`)).json);
const timeline = async () =>
  (
    await api.forge.table.queryAll<TimelineEntry>({
      pk: issuePartition(where.repository.id, 1),
      prefix: entryPrefix,
    })
  ).map(({ type, labelId, body }) => ({ type, labelId, body }));

describe("issueAddLabel", () => {
  it("200: adds by id or by name, answers all by name, in the issue and its lists at once (OP-issueAddLabel)", async () => {
    const [bug, docs] = [await label("bug"), await label("docs")];
    expect(namesIn((await send("POST", { labels: [docs] })).json)).toEqual(["docs"]);
    const answer = await send("POST", { labels: ["bug", "nope"] });
    expect(answer.status).toBe(200);
    expect(namesIn(answer.json)).toEqual(["bug", "docs"]);
    const issue = (await api.call("GET", `${where.path}/issues/1`)).json;
    expect(issue.labels).toEqual(answer.json);
    await openIssue(api, where, author);
    const numbers = async (query: string) =>
      (await api.call("GET", `${where.path}/issues?${query}`)).json.map(
        (one: { number: number }) => one.number,
      );
    expect(await numbers("labels=bug,docs")).toEqual([1]);
    expect(await numbers("labels=bug,unknown")).toEqual([1]);
    expect(await numbers("labels=unknown")).toEqual([]);
    expect(await timeline()).toEqual([
      { type: "label", labelId: docs, body: "1" },
      { type: "label", labelId: bug, body: "1" },
    ]);
  });

  it("200: ids of another repository, unknown ids and names are ignored; those of the owning organization count", async () => {
    await makeOrganization(api, owner, "acme");
    const body = { name: "shared", color: "123456" };
    const { id } = (await api.call("POST", "/orgs/acme/labels", { as: owner, body })).json;
    expect((await send("POST", { labels: [id, 99_999] })).json).toEqual([]);
    await api.call("POST", "/orgs/acme/repos", { as: owner, body: { name: "r" } });
    await api.call("POST", "/repos/acme/r/issues", { as: owner, body: { title: "t" } });
    const path = "/repos/acme/r/issues/1/labels";
    const answer = await api.call("POST", path, { as: owner, body: { labels: [id] } });
    expect(answer.json).toMatchObject([{ id, name: "shared" }]);
    expect(answer.json[0].url).toMatch(/\/orgs\/acme\/labels\/\d+$/);
    expect((await api.call("GET", "/repos/acme/r/labels", { as: owner })).json).toEqual([]);
  });

  it("200: an exclusive label takes the place of another of its scope, and the timeline tells of both (B-08, D-LABEL)", async () => {
    const [bug, feature, doc] = [
      await exclusive("kind/bug"),
      await exclusive("kind/feature"),
      await label("kind/doc"),
    ];
    await send("POST", { labels: [bug, doc] });
    expect(namesIn((await send("POST", { labels: [feature] })).json)).toEqual(["kind/doc", "kind/feature"]);
    expect((await timeline()).slice(2)).toEqual([
      { type: "label", labelId: bug, body: "" },
      { type: "label", labelId: feature, body: "1" },
    ]);
  });

  it("422: two exclusive labels of one scope in one request, named, and nothing changes (B-08, D-LABEL)", async () => {
    const [bug, feature] = [await exclusive("kind/bug"), await exclusive("kind/feature")];
    const answer = await send("POST", { labels: [bug, feature] });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toMatch(/kind\/bug.*kind\/feature/);
    expect(await carried()).toEqual([]);
    const body = { title: "both", labels: [bug, feature] };
    const opened = await api.call("POST", `${where.path}/issues`, { as: owner, body });
    expect([opened.status, opened.json.message]).toEqual([422, answer.json.message]);
  });

  it("200: scopes end at the last slash; names without a scope never exclude each other (B-08)", async () => {
    const fitting = ["a/b/x", "a/c", "x/", "/x", "x"];
    for (const name of [...fitting, "a/b/y"]) await exclusive(name);
    const answer = await send("POST", { labels: fitting });
    expect(namesIn(answer.json)).toEqual([...fitting].sort());
    expect((await send("POST", { labels: ["a/b/x", "a/b/y"] })).status).toBe(422);
  });

  it("400: ids and names mixed; 403: the author, who may not write; 404: an unknown issue", async () => {
    const bug = await label("bug");
    expect((await send("POST", { labels: [bug, "bug"] })).status).toBe(400);
    const refused = await send("POST", { labels: [bug] }, author);
    expect([refused.status, refused.text]).toEqual([403, ""]);
    const answer = await api.call("POST", `${where.path}/issues/9/labels`, {
      as: owner,
      body: { labels: [bug] },
    });
    expect(answer.status).toBe(404);
    expect(await carried()).toEqual([]);
  });

  it("422: more references than an issue has labels, before any is looked for, repeated ones counting once", async () => {
    const bug = await label("bug");
    expect((await send("POST", { labels: Array(4_000).fill(bug) })).status).toBe(200);
    const labels = Array.from({ length: 4_000 }, (_, at) => 1_000_000 + at);
    for (const [method, path] of [
      ["POST", "/issues/1/labels"],
      ["PUT", "/issues/1/labels"],
      ["POST", "/issues"],
    ] as const) {
      const body = { title: "many", labels };
      const answer = await api.call(method, `${where.path}${path}`, { as: owner, body });
      expect([answer.status, answer.json.message]).toEqual([
        422,
        "[Labels]: at most 100 may be named at once",
      ]);
    }
  });

  it("200: of eight changes of one issue at once all are applied, and one of the exclusive ones is left (B-08)", async () => {
    holdTimeStill();
    const plain = await Promise.all(Array.from({ length: 5 }, (_, at) => label(`p${at}`)));
    const rivals = await Promise.all(Array.from({ length: 3 }, (_, at) => exclusive(`state/${at}`)));
    const answers = await Promise.all([...plain, ...rivals].map((id) => send("POST", { labels: [id] })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = await carried();
    expect(left.filter((name) => name.startsWith("p"))).toHaveLength(5);
    expect(left.filter((name) => name.startsWith("state/"))).toHaveLength(1);
  });
});

describe("issueReplaceLabels", () => {
  it("200: what is given alone remains; two of one scope are refused (OP-issueReplaceLabels, B-08)", async () => {
    const [bug, docs] = [await label("bug"), await label("docs")];
    await send("POST", { labels: [bug] });
    expect(namesIn((await send("PUT", { labels: [docs] })).json)).toEqual(["docs"]);
    expect((await timeline()).slice(1)).toEqual([
      { type: "label", labelId: bug, body: "" },
      { type: "label", labelId: docs, body: "1" },
    ]);
    const rivals = [await exclusive("k/1"), await exclusive("k/2")];
    expect((await send("PUT", { labels: rivals })).status).toBe(422);
    expect(await carried()).toEqual(["docs"]);
    expect((await send("PUT", { labels: [] })).json).toEqual([]);
  });
});

describe("issueGetLabels", () => {
  it("200: by name, pages when asked; 404 for an unknown issue (OP-issueGetLabels)", async () => {
    for (const name of ["c", "a", "b"]) await label(name);
    await send("POST", { labels: ["a", "b", "c"] });
    expect(await carried()).toEqual(["a", "b", "c"]);
    const page = await api.call("GET", `${where.path}/issues/1/labels?limit=2&page=2`);
    expect(namesIn(page.json)).toEqual(["c"]);
    expect(page.headers.get("x-total-count")).toBe("3");
    expect((await api.call("GET", `${where.path}/issues/9/labels`)).status).toBe(404);
  });
});

describe("issueRemoveLabel", () => {
  it("204: no error when the issue does not carry it, 422 when there is no such label (OP-issueRemoveLabel)", async () => {
    const [bug, docs] = [await label("bug"), await label("docs")];
    await send("POST", { labels: [bug, docs] });
    expect((await send("DELETE", {}, owner, `/${bug}`)).status).toBe(204);
    expect((await send("DELETE", {}, owner, `/${bug}`)).status).toBe(204);
    expect((await send("DELETE", {}, owner, "/99999")).status).toBe(422);
    expect((await send("DELETE", {}, author, `/${docs}`)).status).toBe(403);
    expect(await carried()).toEqual(["docs"]);
  });

  it("204: by name as well, 422 for a name of none (D-IDS)", async () => {
    await send("POST", { labels: [await label("kind/bug"), await label("docs")] });
    expect((await send("DELETE", {}, owner, "/kind/bug")).status).toBe(204);
    expect((await send("DELETE", {}, owner, "/kind%2Fbug")).status).toBe(204);
    expect((await send("DELETE", {}, owner, "/nothing")).status).toBe(422);
    expect(await carried()).toEqual(["docs"]);
  });
});

describe("issueClearLabels", () => {
  it("204: all of them, also without a body; 403 for readers (OP-issueClearLabels)", async () => {
    await send("POST", { labels: [await label("bug"), await label("docs")] });
    expect((await send("DELETE", {}, author)).status).toBe(403);
    expect((await api.call("DELETE", `${where.path}/issues/1/labels`, { as: owner })).status).toBe(204);
    expect(await carried()).toEqual([]);
  });
});

describe("issueDeleteLabel", () => {
  it("204: the label is on no issue any more, and its place can be taken", async () => {
    const bug = await label("bug");
    await send("POST", { labels: [bug] });
    await api.call("DELETE", `${where.path}/labels/${bug}`, { as: owner });
    expect(await carried()).toEqual([]);
    expect(namesIn((await send("POST", { labels: [await label("new")] })).json)).toEqual(["new"]);
  });
});

describe("issueCreateIssue", () => {
  it("201: labels count for writers alone; two of one scope are 422 and use no number (D-LABEL)", async () => {
    const [one, other, plain] = [await exclusive("k/1"), await exclusive("k/2"), await label("plain")];
    expect((await openIssue(api, where, author, { labels: [plain] })).labels).toEqual([]);
    const body = { title: "t", labels: [one, other] };
    expect((await api.call("POST", `${where.path}/issues`, { as: owner, body })).status).toBe(422);
    const made = await openIssue(api, where, owner, { labels: [plain, one, 99_999] });
    expect(made.number).toBe(3);
    expect(namesIn(made.labels)).toEqual(["k/1", "plain"]);
  });
});
