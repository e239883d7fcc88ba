import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lastId } from "#core/ids";
import { lazy } from "#core/lazy";
import { checkTable } from "#core/lifecycle/check/check";
import { repositoryPartition } from "#core/repository/repository.table";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { finishJobs } from "#tests/support/jobs";
import { setRepository } from "#tests/support/set-listed";
import { Folders, WorkingCopy } from "../../../git/http/real-git.ts";
import { makeOrganization } from "../../organization/make.ts";
import { type ServedGit, serveGit } from "../serve-git.ts";

let api: TestApi;
let served: ServedGit;
const folders = new Folders();
let alice: Caller;
let bob: Caller;
let boss: Caller;
let made = 0;
let name = "";

beforeAll(async () => {
  api = await makeApi();
  served = await serveGit(api);
  alice = await api.makeUser({ name: "alice" });
  bob = await api.makeUser({ name: "bob" });
  boss = await api.makeUser({ name: "boss", isAdmin: true });
  await makeOrganization(api, alice, "acme");
});
beforeEach(() => {
  made += 1;
  name = `made-${made}`;
});
afterAll(async () => {
  await folders.remove();
  await served.stop();
  await api.stop();
});

const generate = (template: string, body: object = {}, as: Caller | undefined = bob) =>
  api.call("POST", `/repos/alice/${template}/generate`, {
    as,
    body: { owner: "bob", name, git_content: true, ...body },
  });

/** A template with three commits, the last of which holds these files. */
async function makeTemplate(
  called: string,
  files: Record<string, string>,
  format: "sha1" | "sha256" = "sha1",
): Promise<void> {
  const body = { name: called, template: true, object_format_name: format, description: "a pattern" };
  expect((await api.call("POST", "/user/repos", { as: alice, body })).status).toBe(201);
  const copy = await WorkingCopy.init(folders, format);
  const first = ["one", "two"].map((text) => ({ files: { "a.txt": text }, message: text }));
  await copy.commitAll([...first, { files, message: "three" }]);
  await copy.git("push", "-q", served.url(`alice/${called}`, alice), "main");
}

/** The files of a repository's default branch, by path, and how many commits lead there. */
async function contentOf(path: string): Promise<{ files: Record<string, string>; commits: string[] }> {
  const folder = await folders.make();
  const copy = new WorkingCopy(folder);
  await copy.git("-c", "transfer.fsckObjects=true", "clone", "-q", served.url(path, bob), ".");
  const names = (await copy.git("ls-files")).split("\n");
  const files: Record<string, string> = {};
  for (const file of names) files[file] = await copy.git("show", `HEAD:${file}`);
  return { files, commits: (await copy.git("log", "--format=%an: %s")).split("\n") };
}

describe("generateRepo", () => {
  it.each(["sha1", "sha256"] as const)(
    "201: the files of the default branch as one commit of the caller, without history: %s (B-09)",
    async (format) => {
      const files = { "a.txt": "$REPO_NAME stays", "docs/b.txt": "b" };
      await makeTemplate(`plain-${format}`, files, format);
      const { status, json } = await generate(`plain-${format}`, { description: "mine" });
      expect(status).toBe(201);
      expect(json).toMatchObject({
        ...{ full_name: `bob/${name}`, description: "mine", fork: false, template: false, empty: false },
        object_format_name: format,
      });
      expect(await contentOf(`bob/${name}`)).toEqual({ files, commits: ["bob: Initial commit"] });
    },
  );

  it("201: variables are expanded in the files that .gitea/template names, and in their paths", async () => {
    await makeTemplate("Bare-Bones", {
      ".gitea/template": "# which\n*.md\nsrc/**/$REPO_NAME_SNAKE.ts\n",
      "README.md": `# \${REPO_NAME} by $REPO_OWNER from $TEMPLATE_NAME_UPPER\n$REPO_DESCRIPTION $HOME $$ \${X`,
      "docs/other.md": "$REPO_NAME",
      "src/deep/$REPO_NAME_SNAKE.ts": `export class \${REPO_NAME_PASCAL} {} // $YEAR`,
      "src/plain.ts": "$REPO_NAME",
    });
    await generate("Bare-Bones", { name: `my-New.thing-${made}`, description: "caf\u00e9" });
    const year = new Date(api.clock.now()).getUTCFullYear();
    expect((await contentOf(`bob/my-New.thing-${made}`)).files).toEqual({
      "README.md": `# my-New.thing-${made} by bob from BARE-BONES\ncaf\u00e9 $HOME $$ \${X`,
      "docs/other.md": "$REPO_NAME",
      [`src/deep/my_new_thing_${made}.ts`]: `export class MyNewThing${made} {} // ${year}`,
      "src/plain.ts": "$REPO_NAME",
      "a.txt": "two",
    });
  });

  it.each([[[".forgejo/template"]], [[".gitea/template", ".forgejo/template"]]])(
    "201: variables are expanded in what %j name; the lists themselves do not come along (semantics §41.1)",
    async (lists) => {
      const called = `listed-by-${lists.length}`;
      const globs = ["*.txt", "docs/*.md"];
      await makeTemplate(called, {
        ...Object.fromEntries(lists.map((list, at) => [list, `${globs[at]}\n`])),
        "one.txt": "$REPO_NAME of $REPO_OWNER",
        "docs/two.md": "$REPO_NAME of $REPO_OWNER",
        ".forgejo/issue_template.md": "$REPO_NAME",
      });
      await generate(called);
      expect((await contentOf(`bob/${name}`)).files).toEqual({
        "a.txt": "two",
        "one.txt": `${name} of bob`,
        "docs/two.md": lists.length === 2 ? `${name} of bob` : "$REPO_NAME of $REPO_OWNER",
        ".forgejo/issue_template.md": "$REPO_NAME",
      });
    },
  );

  it("201: to an organization, private, on another branch; an empty template makes an empty one", async () => {
    await makeTemplate("small", { "a.txt": "a" });
    const { json } = await generate(
      "small",
      { owner: "acme", private: true, default_branch: "trunk" },
      alice,
    );
    expect(json).toMatchObject({ full_name: `acme/${name}`, private: true, default_branch: "trunk" });
    await api.call("POST", "/user/repos", { as: alice, body: { name: "hollow", template: true } });
    expect((await generate("hollow")).json).toMatchObject({ empty: true });
    expect((await generate("hollow", { owner: "alice", name: `${name}-b` }, boss)).status).toBe(201);
  });

  it("422: no template, nothing to copy, a name that is not valid; 409: the name is taken", async () => {
    await makeTemplate("usual", { "a.txt": "a" });
    await api.call("POST", "/user/repos", { as: alice, body: { name: "ordinary" } });
    expect((await generate("ordinary")).status).toBe(422);
    expect((await generate("usual", { git_content: false })).status).toBe(422);
    expect((await generate("usual", { name: "x.git" })).status).toBe(422);
    expect((await generate("usual", { name: undefined })).status).toBe(422);
    expect((await generate("usual")).status).toBe(201);
    expect((await generate("usual")).status).toBe(409);
  });

  it("404: an unknown owner, a hidden template; 403: of another user, of an organization of others; 401", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: "open", template: true } });
    const unknown = await generate("open", { owner: "nobody" });
    expect(unknown.status).toBe(404);
    expect(unknown.json.error).toBe(unknown.json.message); // semantics §41.1
    expect((await generate("open", { owner: "alice" })).status).toBe(403);
    expect((await generate("open", { owner: "acme" })).status).toBe(403);
    expect((await api.call("POST", "/repos/alice/open/generate", { body: {} })).status).toBe(401);
    await api.call("PATCH", "/repos/alice/open", { as: alice, body: { private: true } });
    expect((await generate("open")).status).toBe(404);
  });

  describe("labels, webhooks and branch protections", () => {
    const asked = {
      git_content: false,
      labels: true,
      webhooks: true,
      protected_branch: true,
      owner: "alice",
    };
    const config = { url: "https://ci.example/", content_type: "json", secret: "s" };

    async function makeEquipped(called: string, labels: number): Promise<void> {
      await makeTemplate(called, { "a.txt": "a" });
      const add = (path: string, body: object) =>
        api.call("POST", `/repos/alice/${called}/${path}`, { as: alice, body });
      for (let count = 0; count < labels; count += 1)
        await add("labels", { name: `kind/${count}`, color: "00aabb", exclusive: true });
      await add("hooks", { type: "gitea", config, active: true });
      await add("branch_protections", { rule_name: "main", enable_push: true, required_approvals: 2 });
    }
    /** A template with more of them than a transaction takes; nobody changes it. */
    const laden = lazy(async () => {
      await makeEquipped("laden", 60);
      return "laden";
    });
    const shown = async (full: string, part: string) =>
      (await api.call("GET", `/repos/${full}/${part}`, { as: alice })).json;

    it("201: come along where they are asked for, each as a thing of its own", async () => {
      await makeEquipped("equipped", 2);
      const { status, json } = await generate("equipped", { ...asked, git_content: true }, alice);
      expect(status).toBe(201);
      const labels = await shown(json.full_name, "labels");
      expect(labels).toMatchObject([
        { name: "kind/0", exclusive: true, color: "00aabb" },
        { name: "kind/1" },
      ]);
      expect(labels[0].id).not.toBe((await shown("alice/equipped", "labels"))[0].id);
      expect(await shown(json.full_name, "hooks")).toMatchObject([
        { config: { url: config.url }, active: true },
      ]);
      expect(await shown(json.full_name, "branch_protections")).toMatchObject([
        { rule_name: "main", required_approvals: 2 },
      ]);
      await api.call("DELETE", `/repos/alice/equipped/labels/${labels[0].id}`, { as: alice });
      expect(await shown(json.full_name, "labels")).toHaveLength(2);
    });

    it("201 for a reader who asks for labels; 403 for one who asks for what holds secrets or names people", async () => {
      await makeEquipped("guarded", 1);
      const mine = { ...asked, owner: "bob" };
      expect((await generate("guarded", mine)).status).toBe(403);
      expect((await generate("guarded", { ...mine, webhooks: false })).status).toBe(403);
      const { status, json } = await generate("guarded", {
        ...mine,
        webhooks: false,
        protected_branch: false,
      });
      expect([status, (await shown(json.full_name, "labels")).length]).toEqual([201, 1]);
      const hooks = await api.call("GET", `/repos/${json.full_name}/hooks`, { as: bob });
      expect(hooks.json).toEqual([]);
    });

    it("201 with more of them than a transaction takes, with a commit and in an organization", async () => {
      const all = { ...asked, git_content: true, owner: "acme" };
      const { status, json } = await generate(await laden(), all, alice);
      expect(status).toBe(201);
      const parts = ["labels", "hooks", "branch_protections"];
      const counts = await Promise.all(parts.map(async (part) => (await shown(json.full_name, part)).length));
      expect(counts).toEqual([60, 1, 1]);
    });

    it.each([5, 6, 7])("killed at write %d of that it leaves nothing behind", async (write) => {
      const template = await laden();
      api.faults.crashAt(write, "after");
      await generate(template, asked, alice).catch(() => undefined);
      expect(api.faults.hasCrashed).toBe(true);
      api.faults.recover();
      expect((await api.call("GET", `/repos/alice/${name}`, { as: alice })).status).toBe(404);
      await finishJobs(api);
      const pk = repositoryPartition(await lastId(api.forge.table, "repository"));
      expect(await api.forge.table.queryAll({ pk })).toEqual([]);
    });

    it("403: where the template's owner blocks the caller", async () => {
      await makeEquipped("walled", 1);
      await api.call("PUT", "/user/block/bob", { as: alice });
      expect((await generate("walled")).status).toBe(403);
      await api.call("PUT", "/user/unblock/bob", { as: alice });
      expect((await generate("walled")).status).toBe(201);
    });
  });

  it("307: a template that has another name by now", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name: "former", template: true } });
    await api.call("PATCH", "/repos/alice/former", { as: alice, body: { name: "latter" } });
    expect((await generate("former")).headers.get("location")).toMatch(/\/repos\/alice\/latter\/generate$/);
  });
});

describe("adminCreateRepo", () => {
  it("201: for a user, who owns it; 409: they have it; 403, 404: for others, for nobody", async () => {
    const create = (as: Caller, whose = "bob") =>
      api.call("POST", `/admin/users/${whose}/repos`, { as, body: { name, auto_init: true } });
    const { status, json } = await create(boss);
    expect([status, json.full_name, json.owner.login]).toEqual([201, `bob/${name}`, "bob"]);
    expect((await create(boss)).status).toBe(409);
    expect((await create(bob)).status).toBe(403);
    expect((await create(boss, "nobody")).status).toBe(404);
  });
});

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("repoUpdateAvatar", () => {
  it("204: sets the picture; 422: no picture; 403: readers", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name } });
    const set = (image: string, as: Caller) =>
      api.call("POST", `/repos/alice/${name}/avatar`, { as, body: { image } });
    expect((await set(picture, alice)).status).toBe(204);
    const { avatar_url } = (await api.call("GET", `/repos/alice/${name}`)).json;
    expect((await api.app.request(new URL(avatar_url).pathname)).headers.get("content-type")).toBe(
      "image/png",
    );
    expect((await set("bm90IGEgcGljdHVyZQ==", alice)).status).toBe(422);
    expect((await set(picture, bob)).status).toBe(403);
  });
});

describe("repoDeleteAvatar", () => {
  it("204: takes it away, also when there is none", async () => {
    await api.call("POST", "/user/repos", { as: alice, body: { name } });
    const remove = () => api.call("DELETE", `/repos/alice/${name}/avatar`, { as: alice });
    await api.call("POST", `/repos/alice/${name}/avatar`, { as: alice, body: { image: picture } });
    for (const _time of [1, 2]) expect((await remove()).status).toBe(204);
    expect((await api.call("GET", `/repos/alice/${name}`)).json.avatar_url).toBe("");
  });
});

describe("repoConvert", () => {
  it("200: a mirror becomes an ordinary repository; 422: what is no mirror; 403: who is not its owner", async () => {
    const id = (await api.call("POST", "/user/repos", { as: alice, body: { name } })).json.id;
    const convert = (as: Caller) => api.call("POST", `/repos/alice/${name}/convert`, { as });
    expect((await convert(alice)).status).toBe(422);
    const mirror = { intervalSeconds: 600, prunes: true, syncedAt: 0, nextSyncAt: 0 };
    await setRepository(api.forge, id, { isMirror: true, mirror });
    expect((await convert(bob)).status).toBe(403);
    const { status, json } = await convert(alice);
    expect([status, json.mirror, json.mirror_interval, json.enable_prune]).toEqual([200, false, "", false]);
  });
});

it("after all of it the whole table holds together", async () => {
  const findings = [];
  for await (const finding of checkTable(api.forge)) findings.push(finding);
  expect(findings.filter(({ invariant }) => invariant !== 20)).toEqual([]);
});
