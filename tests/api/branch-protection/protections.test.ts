import { describe, expect, it } from "vitest";
import { alice, bob, call, makeBranched, protect, push, useProtections, write } from "./protections-world.ts";

useProtections();

describe("repoCreateBranchProtection", () => {
  it("201: what is not named has its default; negative approvals count as none (semantics §12.2, §12.4-8)", async () => {
    const { name } = await makeBranched();
    const { status, json } = await protect(name, { rule_name: "main", required_approvals: -3 });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      rule_name: "main",
      branch_name: "main",
      enable_push: false,
      enable_push_whitelist: false,
      push_whitelist_usernames: [],
      required_approvals: 0,
      ignore_stale_approvals: false,
      dismiss_stale_approvals: false,
      status_check_contexts: [],
      protected_file_patterns: "",
    });
    const glob = await protect(name, { branch_name: "release/**" });
    expect([glob.status, glob.json.rule_name, glob.json.branch_name]).toEqual([201, "release/**", ""]);
  });

  it("201: whitelists keep who may write; others are left out; unknown names 422", async () => {
    const { name } = await makeBranched();
    const { json } = await protect(name, {
      rule_name: "main",
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ["bob", "carol"],
      enable_approvals_whitelist: true,
      approvals_whitelist_username: ["carol"],
    });
    expect(json.push_whitelist_usernames).toEqual(["bob"]);
    expect(json.approvals_whitelist_username).toEqual(["carol"]);
    const unknown = { rule_name: "x", enable_merge_whitelist: true, merge_whitelist_usernames: ["nobody"] };
    expect((await protect(name, unknown)).status).toBe(422);
    const team = { rule_name: "x", enable_merge_whitelist: true, merge_whitelist_teams: ["none"] };
    expect((await protect(name, team)).status).toBe(422);
  });

  it("400: no name; 403: there is one, or a writer asks; 422: no glob; 423: an archive (semantics §12.4-7)", async () => {
    const { name } = await makeBranched();
    expect((await protect(name, {})).status).toBe(400);
    expect((await protect(name, { rule_name: "main" })).status).toBe(201);
    expect((await protect(name, { rule_name: "MAIN" })).status).toBe(403);
    expect((await protect(name, { rule_name: "[a" })).status).toBe(422);
    for (const field of ["protected_file_patterns", "unprotected_file_patterns"]) {
      const { status, json } = await protect(name, { rule_name: "n", [field]: "docs/**;[a" });
      expect([status, json.message]).toEqual([422, expect.stringContaining("[a")]);
      const edit = await call("PATCH", `${name}/branch_protections/main`, { [field]: "{a" });
      expect(edit.status).toBe(422);
    }
    expect((await call("POST", `${name}/branch_protections`, { rule_name: "n" }, bob)).status).toBe(403);
    await call("PATCH", name, { archived: true });
    expect((await protect(name, { rule_name: "n" })).status).toBe(423);
  });
});

describe("repoListBranchProtection", () => {
  it("200: in the order of their making", async () => {
    const { name } = await makeBranched();
    for (const rule_name of ["z*", "main", "a/**"]) await protect(name, { rule_name });
    const { json } = await call("GET", `${name}/branch_protections`);
    expect(json.map((one: { rule_name: string }) => one.rule_name)).toEqual(["z*", "main", "a/**"]);
  });
});

describe("repoGetBranchProtection", () => {
  it("200: by a name with slashes and stars; 404: unknown (D-RAWPATH)", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "release/**" });
    for (const path of ["release/**", "release%2F**", "RELEASE/**"]) {
      expect((await call("GET", `${name}/branch_protections/${path}`)).json.rule_name).toBe("release/**");
    }
    expect((await call("GET", `${name}/branch_protections/none`)).status).toBe(404);
  });
});

describe("repoEditBranchProtection", () => {
  it("200: only what is named changes (B-11, semantics §12.4-7)", async () => {
    const { name } = await makeBranched();
    const before = (await protect(name, { rule_name: "main", required_approvals: 2 })).json;
    const { status, json } = await call("PATCH", `${name}/branch_protections/main`, {
      ignore_stale_approvals: true,
      required_approvals: -1,
    });
    expect(status).toBe(200);
    expect(json).toEqual({ ...before, ignore_stale_approvals: true, updated_at: json.updated_at });
    expect((await call("PATCH", `${name}/branch_protections/none`, {})).status).toBe(404);
  });
});

describe("repoDeleteBranchProtection", () => {
  it("204: gone; 404: the second time", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "main" });
    expect((await call("DELETE", `${name}/branch_protections/main`)).status).toBe(204);
    expect((await call("DELETE", `${name}/branch_protections/main`)).status).toBe(404);
    expect(await write(name, {})).toBe(201);
  });
});

describe("repoUpdateBranchProtectionPriories", () => {
  const order = (repo: string, ids: readonly number[], as = alice) =>
    call("POST", `${repo}/branch_protections/priority`, { ids }, as).then(({ status }) => status);
  const listed = async (repo: string) =>
    (await call("GET", `${repo}/branch_protections`)).json.map(
      ({ rule_name, priority }: { rule_name: string; priority: number }) => `${priority} ${rule_name}`,
    );

  it("204: named ones come in front, the others behind, and globs count in this order", async () => {
    const { name } = await makeBranched();
    const rules = [];
    for (const rule_name of ["d*", "de*", "dev*"]) rules.push((await protect(name, { rule_name })).json);
    const [, second, third] = rules;
    expect(await order(name, [third.id, second.id])).toBe(204);
    expect(await listed(name)).toEqual(["1 dev*", "2 de*", "3 d*"]);
    await call("PATCH", `${name}/branch_protections/dev*`, { enable_push: true });
    expect(await write(name, { branch: "dev" })).toBe(201);
    expect(await order(name, [])).toBe(204);
    expect(await listed(name)).toEqual(["1 dev*", "2 de*", "3 d*"]);
  });

  it("404: an id of no rule; 422: one named twice; 403: a writer; 423: an archive", async () => {
    const { name } = await makeBranched();
    const { json } = await protect(name, { rule_name: "main" });
    expect(await order(name, [json.id, 999_999])).toBe(404);
    expect(await order(name, [json.id, json.id])).toBe(422);
    expect(await order(name, [json.id], bob)).toBe(403);
    await call("PATCH", name, { archived: true });
    expect(await order(name, [json.id])).toBe(423);
  });
});

describe("a protected branch", () => {
  it("takes no pushes and no writes, from its own author neither; a new branch does (semantics §29, §36.6-9)", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "main" });
    expect(await push(name, { files: { f: "3" } })).toContain("you may not push");
    expect(await write(name, {})).toBe(403);
    expect(await write(name, { new_branch: "topic" })).toBe(201);
    expect((await call("GET", `${name}/branches/main`)).json).toMatchObject({
      protected: true,
      user_can_push: false,
      user_can_merge: true,
      effective_branch_protection_name: "main",
    });
    expect((await call("GET", `${name}/branches/dev`)).json).toMatchObject({
      protected: false,
      user_can_push: true,
    });
    expect(
      (await call("GET", `${name}/branches/main`, undefined, bob)).json.effective_branch_protection_name,
    ).toBe("");
  });

  it("can't be deleted or forced, by git, API or rename; others can (semantics §29-3)", async () => {
    const { name, first } = await makeBranched();
    await protect(name, { rule_name: "{main,d*}", enable_push: true });
    expect((await call("DELETE", `${name}/branches/dev`)).status).toBe(403);
    expect((await call("PATCH", `${name}/branches/dev`, { name: "x" }, bob)).status).toBe(403);
    const back = { new_commit_id: first, force: true };
    expect((await call("PUT", `${name}/branches/main`, back)).status).toBe(403);
    expect(await push(name, { files: { f: "3" } })).toBe("landed");
    await call("POST", `${name}/branches`, { new_branch_name: "open" });
    expect((await call("PUT", `${name}/branches/open`, back)).status).toBe(204);
    expect((await call("DELETE", `${name}/branches/open`)).status).toBe(204);
  });

  it("takes no commits that are not signed where it asks for signatures", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "main", enable_push: true, require_signed_commits: true });
    expect(await push(name, { files: { f: "3" } })).toContain("signed");
    expect(await write(name, {})).toBe(403);
  });
});
