import { describe, expect, it } from "vitest";
import type { Caller } from "#tests/support/api";
import { setRepository } from "#tests/support/set-listed";
import {
  alice,
  api,
  asked,
  bob,
  boss,
  config,
  contentOf,
  generate,
  made,
  makeEquipped,
  makeTemplate,
  name,
  shown,
  useTemplates,
} from "./generate-world.ts";

useTemplates();

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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
