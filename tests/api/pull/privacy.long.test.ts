import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "#core/token/token";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { commitOn, makeBase, openPull } from "./make.ts";

/** Requests whose head lies where not everybody may look, and who learns of that repository. */
let api: TestApi;
let admin: Caller;
let stranger: Caller;
let alice: Caller;
const names = [
  "nobody",
  "stranger",
  "owner of the base",
  "author",
  "author's token for public things",
  "root",
];

/** A request from a fork, which has a secret beside the request's branch. */
interface Place {
  readonly base: string;
  readonly secret: string;
  readonly fork: string;
  readonly callers: ReadonlyMap<string, Caller | undefined>;
}
const places = new Map<string, Place>();

beforeAll(async () => {
  api = await makeApi();
  admin = await api.makeUser({ name: "root", isAdmin: true });
  [stranger, alice] = [await api.makeUser({ name: "stranger" }), await api.makeUser({ name: "alice" })];
  const base = (name: string, more = {}) => makeBase(api, alice, name, more);
  const hide = (as: Caller, visibility: string) =>
    api.call("PATCH", `/admin/users/${as.name}`, {
      as: admin,
      body: { visibility, source_id: 0, login_name: as.name },
    });
  places.set("public", await request(await base("seen"), "fay"));
  const byPrivate = await request(await base("veiled"), "flo", (as) => hide(as, "private"));
  places.set("of a private owner", byPrivate);
  const byLimited = await request(await base("dimmed"), "finn", (as) => hide(as, "limited"));
  places.set("of a limited owner", byLimited);
  const shut = await base("shut", { private: true });
  const letIn = (as: Caller) =>
    api.call("PUT", `${shut}/collaborators/${as.name}`, { as: alice, body: { permission: "read" } });
  places.set("private, as its base is", await request(shut, "fred", undefined, letIn));
  const gone = await request(await base("lonely"), "fern");
  await api.call("DELETE", gone.fork, { as: gone.callers.get("author") as Caller });
  await finishJobs(api);
  places.set("deleted", gone);
});
afterAll(() => api.stop());

/** The fork is made by a new user; `hide` comes before the secret is written. */
async function request(
  base: string,
  name: string,
  hide?: (as: Caller) => Promise<unknown>,
  join?: (as: Caller) => Promise<unknown>,
): Promise<Place> {
  const author = await api.makeUser({ name });
  await join?.(author);
  const { json } = await api.call("POST", `${base}/forks`, { as: author, body: { name: `cellar-${name}` } });
  const fork = `/repos/${json.full_name}`;
  await hide?.(author);
  await commitOn(api, fork, "topic", "shown.txt", { as: author });
  const secret = await commitOn(api, fork, "treasure", "treasure.txt", { as: author });
  await openPull(api, base, { as: author, head: `${json.full_name}:topic` });
  const scopes = ["all", "public-only"] as const;
  const { text: token } = await createToken(api.forge, author.user, { name: "p", scopes: [...scopes] });
  const all = [undefined, stranger, alice, author, { ...author, token }, admin];
  return { base, secret, fork, callers: new Map(names.map((one, at) => [one, all[at]])) };
}

/** 403 is what a token for public things gets of anything private. */
const isRefusal = (status: number) => [400, 403, 404].includes(status);

const reads = [
  ...["/pulls", "/pulls/1", "/pulls/1/commits", "/pulls/1/files", "/pulls/1.diff", "/pulls/1.patch"],
  ...["/issues", "/issues/1", "/issues/1/timeline", "/git/refs", "/branches", "/pulls?head=cellar"],
  ...["/pulls/1/reviews", "/pulls/1/merge", "/forks"],
];

/** Whether the request is shown, and its head's repository with it: of each caller in the order of `names`. */
const rows = [
  ["public", "head head head head head head"],
  ["of a private owner", "pull pull pull head pull head"],
  ["of a limited owner", "pull head head head pull head"],
  ["private, as its base is", "none none pull head none head"],
  ["deleted", "pull pull pull pull pull pull"],
] as const;

describe.each(rows)("a request whose head is %s", (place, expected) => {
  it(`repoGetPullRequest: ${expected} (semantics §3.7)`, async () => {
    const { base, fork, callers } = places.get(place) as Place;
    const shown: string[] = [];
    for (const name of names) {
      const as = callers.get(name);
      const { status, json } = await api.call("GET", `${base}/pulls/1`, { ...(as && { as }) });
      shown.push(status !== 200 ? "none" : json.head.repo === null ? "pull" : "head");
      if (shown.at(-1) === "pull") expect(json.head).toMatchObject({ label: "topic", repo_id: -1 });
      if (shown.at(-1) === "head") expect(json.head.repo.full_name).toBe(fork.slice("/repos/".length));
    }
    expect(shown.join(" ")).toBe(expected);
  });

  it("names the head's repository in no answer to callers who may not know it, and brings nothing of its other branches", async () => {
    const { base, secret, fork, callers } = places.get(place) as Place;
    const [, , owner, head = ""] = fork.split("/");
    for (const [at, name] of names.entries()) {
      const as = callers.get(name);
      const ask = (path: string) => api.call("GET", path, { ...(as && { as }) });
      const mayKnow = expected.split(" ")[at] === "head";
      for (const path of mayKnow
        ? []
        : [...reads.map((one) => base + one), "/repos/issues/search?type=pulls"]) {
        const { text } = await ask(path);
        const told = [head, "treasure", secret].filter((word) => new RegExp(`\\b${word}\\b`).test(text));
        expect([name, path, told]).toEqual([name, path, []]);
      }
      if (!mayKnow) {
        const { status } = await ask(`${base}/pulls/main/${owner}:topic`);
        expect([name, isRefusal(status)]).toEqual([name, true]);
      }
      if (place !== "public" && place !== "deleted") {
        for (const path of [`/git/commits/${secret}`, `/git/trees/${secret}`, `/compare/main...${secret}`]) {
          const { status } = await ask(base + path);
          expect([name, path, isRefusal(status)]).toEqual([name, path, true]);
        }
      }
    }
  });
});

describe("repoCreatePullRequest", () => {
  it("404 for a head in another's private fork, and between two forks of a private repository", async () => {
    const carol = await api.makeUser({ name: "carol" });
    await api.call("PUT", "/repos/alice/shut/collaborators/carol", {
      as: alice,
      body: { permission: "write" },
    });
    await api.call("POST", "/repos/alice/shut/forks", { as: carol, body: { name: "nook" } });
    const open = async (base: string, head: string, as: Caller) =>
      (await api.call("POST", `${base}/pulls`, { as, body: { title: "T", head, base: "main" } })).status;
    expect(await open("/repos/alice/shut", "fred/cellar-fred:treasure", carol)).toBe(404);
    expect(await open("/repos/alice/shut", "fred:treasure", alice)).toBe(404);
    expect(await open("/repos/carol/nook", "fred:treasure", carol)).toBe(404);
    expect(await open("/repos/fred/cellar-fred", "carol:main", carol)).toBe(404);
    const author = places.get("private, as its base is")?.callers.get("author") as Caller;
    expect(await open("/repos/carol/nook", "treasure", author)).toBe(404);
  });
});
