import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Forge } from "#core/forge";
import { createHook, editHook, findHook, getHook, listHooks, removeHook } from "#core/hook/hook";
import type { HookParent } from "#core/hook/hook.table";
import { hookSecretsOf } from "#core/hook/secrets";
import { makeForge, type TestForge } from "#tests/support/forge";
import { holdTimeStill } from "#tests/support/still-time";

let test: TestForge;
let forge: Forge;
beforeAll(async () => {
  test = await makeForge();
  forge = test.forge;
});
afterAll(() => test.stop());

let lastRepository = 0;
const newParent = (): HookParent => {
  lastRepository += 1;
  return { kind: "repository", id: lastRepository };
};
const given = { type: "gitea", url: "https://ci.example/hook", contentType: "json" };
const refusal = (field: string) =>
  expect.objectContaining({ code: "invalid", message: expect.stringContaining(field) });

describe("hook.create", () => {
  it("makes an inactive hook for pushes to every branch unless told otherwise", async () => {
    const parent = newParent();
    const hook = await createHook(forge, parent, given);
    expect(hook).toMatchObject({
      ...given,
      parent,
      events: ["push"],
      branchFilter: "",
      isActive: false,
      v: 1,
    });
    expect(await getHook(forge, parent, hook.id)).toEqual(hook);
  });

  it("keeps what was given, expands the events, and keeps the secrets sealed", async () => {
    const parent = newParent();
    const hook = await createHook(forge, parent, {
      ...given,
      type: "slack",
      contentType: "form",
      secret: "open sesame",
      authorizationHeader: "Bearer abc",
      events: ["issues_only", "no-such-event"],
      branchFilter: "{main,release/*}",
      isActive: true,
      chat: { channel: "#dev" },
    });
    const stored = await getHook(forge, parent, hook.id);
    expect(stored).toMatchObject({
      type: "slack",
      contentType: "form",
      events: ["issues"],
      branchFilter: "{main,release/*}",
      isActive: true,
      chat: { channel: "#dev" },
    });
    expect(JSON.stringify(stored)).not.toMatch(/sesame|Bearer/);
    expect(hookSecretsOf(forge, stored)).toEqual({
      secret: "open sesame",
      authorizationHeader: "Bearer abc",
    });
  });

  it.each([
    ["Type", { type: "mattermost" }],
    ["Config", { type: "slack" }],
    ["Config", { url: "" }],
    ["Config", { url: "ci.example" }],
    ["Config", { url: "ftp://ci.example/" }],
    ["Config", { url: `https://ci.example/${"x".repeat(2048)}` }],
    ["Config", { contentType: "" }],
    ["Config", { contentType: "xml" }],
    ["Config", { secret: "x".repeat(1025) }],
    ["Config", { chat: { channel: "x".repeat(1025) } }],
    ["AuthorizationHeader", { authorizationHeader: "Bearer x\r\nX-Evil: 1" }],
    ["AuthorizationHeader", { authorizationHeader: "x".repeat(1025) }],
    ["BranchFilter", { branchFilter: "[a" }],
    ["BranchFilter", { branchFilter: "*a".repeat(128) }],
  ])("422 naming %s for %o", async (field, wrong) => {
    const parent = newParent();
    await expect(createHook(forge, parent, { ...given, ...wrong })).rejects.toEqual(refusal(field));
    expect(await listHooks(forge, parent)).toEqual([]);
  });

  it("422 for the 101st hook of a parent", async () => {
    const parent = newParent();
    await Promise.all(Array.from({ length: 100 }, () => createHook(forge, parent, given)));
    await expect(createHook(forge, parent, given)).rejects.toEqual(refusal("at most 100"));
  });
});

describe("hook.list, get, find, remove", () => {
  it("shows the hooks of one parent in the order of their ids", async () => {
    const [parent, other] = [newParent(), newParent()];
    const made = [await createHook(forge, parent, given), await createHook(forge, parent, given)];
    const foreign = await createHook(forge, other, given);
    expect((await listHooks(forge, parent)).map((hook) => hook.id)).toEqual(made.map((hook) => hook.id));
    expect(await findHook(forge, parent, foreign.id)).toBeUndefined();
    await expect(getHook(forge, parent, foreign.id)).rejects.toMatchObject({ code: "not-found" });
  });

  it("removes a hook once", async () => {
    const parent = newParent();
    const { id } = await createHook(forge, parent, given);
    await removeHook(forge, parent, id);
    expect(await listHooks(forge, parent)).toEqual([]);
    await expect(removeHook(forge, parent, id)).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("hook.edit", () => {
  const full = {
    ...given,
    secret: "s".repeat(1024),
    authorizationHeader: "a".repeat(1024),
    events: ["issues_only"],
    branchFilter: "main",
    isActive: true,
  };

  it("changes nothing but the time when nothing is given", async () => {
    const parent = newParent();
    const hook = await createHook(forge, parent, full);
    test.clock.advance(5_000);
    const edited = await editHook(forge, parent, hook.id, {});
    expect(edited).toEqual({ ...hook, updatedAt: hook.updatedAt + 5, v: 2 });
    expect(await getHook(forge, parent, hook.id)).toEqual(edited);
  });

  it("replaces what is given; empty texts clear", async () => {
    const parent = newParent();
    const { id } = await createHook(forge, parent, full);
    const changes = { url: "http://b.example/", events: ["create"], branchFilter: "", isActive: false };
    const edited = await editHook(forge, parent, id, {
      ...changes,
      secret: "new",
      authorizationHeader: "",
    });
    expect(edited).toMatchObject({ ...changes, contentType: "json" });
    expect(hookSecretsOf(forge, edited)).toEqual({ secret: "new", authorizationHeader: "" });
  });

  it("422 for what create refuses, 404 for no such hook", async () => {
    const parent = newParent();
    const { id } = await createHook(forge, parent, full);
    await expect(editHook(forge, parent, id, { url: "nowhere" })).rejects.toEqual(refusal("Config"));
    await expect(editHook(forge, parent, id, { branchFilter: "{" })).rejects.toEqual(refusal("BranchFilter"));
    await expect(editHook(forge, parent, id + 1000, {})).rejects.toMatchObject({ code: "not-found" });
  });

  it("keeps every one of several changes made at once", async () => {
    holdTimeStill();
    const parent = newParent();
    const { id } = await createHook(forge, parent, given);
    await Promise.all([
      editHook(forge, parent, id, { isActive: true }),
      editHook(forge, parent, id, { branchFilter: "main" }),
      editHook(forge, parent, id, { contentType: "form" }),
    ]);
    expect(await getHook(forge, parent, id)).toMatchObject({
      isActive: true,
      branchFilter: "main",
      contentType: "form",
      v: 4,
    });
  });
});
