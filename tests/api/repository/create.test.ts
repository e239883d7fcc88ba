import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice", fullName: "Alice Liddell" });
});
afterAll(() => api.stop());

const create = (body: object, as: Caller | undefined = alice) =>
  api.call("POST", "/user/repos", { as, body });

describe("createCurrentUserRepo", () => {
  it("201: an empty repository with the settings' defaults", async () => {
    const { status, json } = await create({ name: "Plain", description: "words" });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: "Plain",
      full_name: "alice/Plain",
      description: "words",
      empty: true,
      private: false,
      fork: false,
      parent: null,
      default_branch: "main",
      object_format_name: "sha1",
      size: 0,
      has_issues: true,
      has_wiki: true,
      open_issues_count: 0,
      archived: false,
      archived_at: "0001-01-01T00:00:00Z",
      enable_prune: false,
      permissions: { admin: true, push: true, pull: true },
      owner: { login: "alice" },
      url: "http://127.0.0.1:3000/api/v1/repos/alice/Plain",
      html_url: "http://127.0.0.1:3000/alice/Plain",
      clone_url: "http://127.0.0.1:3000/alice/Plain.git",
      ssh_url: "git@127.0.0.1:alice/Plain.git",
    });
    const read = await api.call("GET", "/repos/ALICE/plain", { as: alice });
    expect(read.json).toEqual(json);
    expect((await api.call("GET", "/repos/alice/plain/branches", { as: alice })).json).toEqual([]);
  });

  it.each([
    ["sha1", 40],
    ["sha256", 64],
  ])("201: auto_init makes a first commit with a README in %s (B-09)", async (format, digits) => {
    const name = `begun-${format}`;
    const { status, json } = await create({
      name,
      description: "what it is",
      auto_init: true,
      default_branch: "trunk",
      object_format_name: format,
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({ empty: false, default_branch: "trunk", object_format_name: format });
    expect(json.size).toBeGreaterThan(0);
    const { json: branches } = await api.call("GET", `/repos/alice/${name}/branches`, { as: alice });
    expect(branches).toHaveLength(1);
    expect(branches[0]).toMatchObject({
      name: "trunk",
      commit: {
        message: "Initial commit\n",
        author: { name: "Alice Liddell", email: "alice@example.com", username: "alice" },
      },
    });
    expect(branches[0].commit.id).toMatch(new RegExp(`^[0-9a-f]{${digits}}$`));
  });

  it("201: takes the words of its options from the body, whatever the case of the keys", async () => {
    const { status, json } = await create({ Name: "worded", PRIVATE: true, template: true });
    expect(status).toBe(201);
    expect(json).toMatchObject({ name: "worded", private: true, template: true });
  });

  it.each(["gitignores", "license", "issue_labels"])("422: no such template as %s names", async (field) => {
    const body = { name: "templated", auto_init: true, [field]: "Nope" };
    const { status, json } = await create(body);
    expect([status, json.message]).toEqual([
      422,
      expect.stringMatching(/^\[.*\]: there is no .*template Nope$/),
    ]);
    expect((await api.call("GET", "/repos/alice/templated", { as: alice })).status).toBe(404);
  });

  it("201: templates of a first commit mean nothing where none is made", async () => {
    const body = { name: "untemplated", gitignores: "Nope", license: "Nope", issue_labels: "" };
    expect((await create(body)).status).toBe(201);
  });

  it("400: no such README template", async () => {
    const { status, json } = await create({ name: "read-me", auto_init: true, readme: "Nope" });
    expect(status).toBe(400);
    expect(json.message).toContain("Nope");
    expect((await api.call("GET", "/repos/alice/read-me", { as: alice })).status).toBe(404);
  });

  it("401: anonymous callers", async () => {
    expect((await api.call("POST", "/user/repos", { body: { name: "nobodys" } })).status).toBe(401);
  });

  it("403: a token without write rights on repositories, naming the scope", async () => {
    const token = await api.makeToken(alice, ["write:user", "read:repository"]);
    const { status, json } = await create({ name: "scoped" }, { ...alice, token });
    expect(status).toBe(403);
    expect(json.message).toContain("write:repository");
  });

  it.each([{}, { auto_init: true }])(
    "409: the owner has a repository of this name, whatever its case %o",
    async (options) => {
      const name = `Taken-${Object.keys(options).length}`;
      expect((await create({ name })).status).toBe(201);
      const { status, json } = await create({ name: name.toLowerCase(), ...options });
      expect(status).toBe(409);
      expect(json.message).toBe("The repository with the same name already exists.");
    },
  );

  it("409: of two creations of one name at once exactly one wins", async () => {
    const answers = await Promise.all(
      ["raced", "Raced", "RACED", "raced"].map((name, at) => create({ name, auto_init: at % 2 === 0 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 201);
    const { json } = await api.call("GET", "/repos/alice/raced", { as: alice });
    expect(json).toEqual(winner?.json);
  });

  it.each([
    ["a space", "a b", "Name"],
    ["a slash", "a/b", "Name"],
    ["a letter with an accent", "caf\u00e9", "Name"],
    ["a look-alike of a reserved name", "\u2010", "Name"],
    ["the reserved name -", "-", "Name"],
    ["the reserved name ..", "..", "Name"],
    ["a reserved ending", "x.git", "Name"],
    ["a reserved ending in capitals", "x.WIKI", "Name"],
    ["101 characters", "a".repeat(101), "Name"],
    ["no character", "", "Name"],
  ])("422: a name of %s", async (_what, name, field) => {
    const { status, json } = await create({ name });
    expect(status).toBe(422);
    expect(json.message).toContain(field);
  });

  it.each([
    ["an object format that git does not have (B-09)", { object_format_name: "md5" }, "ObjectFormatName"],
    ["a description over its bound", { description: "a".repeat(2049) }, "Description"],
    ["a default branch that git does not allow", { default_branch: "a..b" }, "DefaultBranch"],
    ["a default branch that begins like an option", { default_branch: "-x" }, "DefaultBranch"],
    ["a word for a truth value", { private: "yes" }, "Private"],
  ])("422: %s", async (_what, options, field) => {
    const { status, json } = await create({ name: "bad", ...options });
    expect(status).toBe(422);
    expect(json.message).toContain(field);
  });

  it("422: no name", async () => {
    const { status, json } = await create({});
    expect(status).toBe(422);
    expect(json.message).toContain("[Name]: Required");
  });
});

describe("createCurrentUserRepo under settings", () => {
  it("201: FORCE_PRIVATE makes every new repository private", async () => {
    const forced = await makeApi({ settings: { FORCE_PRIVATE: "true" } });
    try {
      const bob = await forced.makeUser();
      const { json } = await forced.call("POST", "/user/repos", {
        as: bob,
        body: { name: "x", private: false },
      });
      expect(json.private).toBe(true);
      const publish = { as: bob, body: { private: false } };
      expect((await forced.call("PATCH", `/repos/${bob.name}/x`, publish)).status).toBe(422);
    } finally {
      await forced.stop();
    }
  });

  it("201: DEFAULT_MERGE_STYLE is the merge style of new repositories, until they are edited", async () => {
    const squashing = await makeApi({ settings: { DEFAULT_MERGE_STYLE: "squash" } });
    try {
      const as = await squashing.makeUser();
      const { json } = await squashing.call("POST", "/user/repos", { as, body: { name: "x" } });
      expect(json.default_merge_style).toBe("squash");
      const body = { default_merge_style: "rebase" };
      const edited = await squashing.call("PATCH", `/repos/${as.name}/x`, { as, body });
      expect(edited.json.default_merge_style).toBe("rebase");
      const usual = await api.call("POST", "/user/repos", { as: alice, body: { name: "usual-style" } });
      expect(usual.json.default_merge_style).toBe("merge");
    } finally {
      await squashing.stop();
    }
  });

  it("422: MAX_CREATION_LIMIT is reached; administrators are exempt", async () => {
    const limited = await makeApi({ settings: { MAX_CREATION_LIMIT: "2" } });
    try {
      const [bob, boss] = [await limited.makeUser(), await limited.makeUser({ isAdmin: true })];
      const statuses = async (as: Caller) => {
        const answers: number[] = [];
        for (const name of ["a", "b", "c"])
          answers.push((await limited.call("POST", "/user/repos", { as, body: { name } })).status);
        return answers;
      };
      expect(await statuses(bob)).toEqual([201, 201, 422]);
      expect(await statuses(boss)).toEqual([201, 201, 201]);
    } finally {
      await limited.stop();
    }
  });
});
