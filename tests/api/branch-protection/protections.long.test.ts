import { describe, expect, it } from "vitest";
import { alice, bob, call, makeBranched, protect, push, useProtections, write } from "./protections-world.ts";

useProtections();

describe("a protected branch that is renamed", () => {
  it("stays protected where a glob would read its new name otherwise", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "dev" });
    expect((await call("PATCH", `${name}/branches/dev`, { name: "d{e}v!" })).status).toBe(204);
    expect(await write(name, { branch: "d{e}v!" })).toBe(403);
  });

  it("takes the rule of its name along; only administrators may; rules of others stay (semantics §40)", async () => {
    const { name } = await makeBranched();
    const { json } = await protect(name, { rule_name: "dev", required_approvals: 2 });
    expect((await call("PATCH", `${name}/branches/dev`, { name: "next" }, bob)).status).toBe(403);
    expect((await call("PATCH", `${name}/branches/dev`, { name: "next" })).status).toBe(204);
    expect((await call("GET", `${name}/branch_protections/dev`)).status).toBe(404);
    const moved = (await call("GET", `${name}/branch_protections/next`)).json;
    expect(moved).toMatchObject({
      id: json.id,
      rule_name: "next",
      branch_name: "next",
      required_approvals: 2,
    });
    expect(await write(name, { branch: "next" }, bob)).toBe(403);
    await protect(name, { rule_name: "main" });
    await call("POST", `${name}/branches`, { new_branch_name: "spare" });
    await protect(name, { rule_name: "last", enable_push: true });
    expect((await call("PATCH", `${name}/branches/next`, { name: "last" })).status).toBe(204);
    expect((await call("GET", `${name}/branch_protections/next`)).status).toBe(200);
    expect((await call("GET", `${name}/branch_protections/last`)).json.required_approvals).toBe(0);
  });
});

describe("a protected branch", () => {
  it("takes pushes of those on its list alone", async () => {
    const { name } = await makeBranched();
    const list = { enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ["bob"] };
    await protect(name, { rule_name: "main", ...list });
    expect(await write(name, {})).toBe(403);
    expect(await write(name, {}, bob)).toBe(201);
  });

  it("keeps protected files as they are, and lets unprotected ones be pushed (semantics §12.2)", async () => {
    const { name } = await makeBranched();
    await protect(name, {
      rule_name: "main",
      enable_push: true,
      protected_file_patterns: "docs/**;SECRET.*",
    });
    expect(await push(name, { files: { "docs/a.md": "b" } })).toContain("docs/a.md may not be changed");
    expect(await write(name, {}, alice, "secret.txt")).toBe(403);
    expect(await push(name, { files: { "docs.md": "b" } })).toBe("landed");
    await call("PATCH", `${name}/branch_protections/main`, {
      ...{ enable_push: false, protected_file_patterns: "", unprotected_file_patterns: "docs/*.md" },
    });
    expect(await push(name, { files: { "docs/a.md": "c" } })).toBe("landed");
    expect(await push(name, { files: { "docs/b.md": "c", f: "9" } })).toContain("you may not push");
  });

  it("follows the rule of its name before globs, and of globs the first; stars stop at slashes (semantics §12.1)", async () => {
    const { name } = await makeBranched();
    await protect(name, { rule_name: "rel*", required_approvals: 1 });
    await protect(name, { rule_name: "rel**", required_approvals: 2 });
    await protect(name, { rule_name: "REL-x", required_approvals: 3, enable_push: true });
    const approvals = async (branch: string) => {
      await call("PATCH", `${name}/branch_protections/rel*`, { enable_push: true });
      await call("PATCH", `${name}/branch_protections/rel**`, { enable_push: true });
      const { json } = await call("POST", `${name}/branches`, { new_branch_name: branch });
      return json.required_approvals;
    };
    expect(await approvals("rel-x")).toBe(3);
    expect(await approvals("rel-y")).toBe(1);
    expect(await approvals("rel/z")).toBe(2);
  });
});
