import { describe, expect, it } from "vitest";
import { base64, call, makeFilled, raw, useFiles } from "./write-world.ts";

useFiles();

describe("repoCreateFile", () => {
  it("201: over a branch that is there with force_push; 403 where a rule forbids that (semantics §24)", async () => {
    const { name } = await makeFilled();
    await call("POST", `${name}/contents/n`, { content: "", new_branch: "taken" });
    const body = { content: base64("m"), new_branch: "taken", force_push: true };
    const forced = await call("POST", `${name}/contents/m`, body);
    expect(forced.status).toBe(201);
    const main = (await call("GET", `${name}/branches/main`)).json.commit.id;
    expect(forced.json.commit.parents.map(({ sha }: { sha: string }) => sha)).toEqual([main]);
    expect((await call("GET", `${name}/contents/n?ref=taken`)).status).toBe(404);
    const rule = { rule_name: "taken", enable_push: true };
    expect((await call("POST", `${name}/branch_protections`, rule)).status).toBe(201);
    expect((await call("POST", `${name}/contents/o`, body)).status).toBe(403);
    expect((await call("GET", `${name}/branches/taken`)).json.commit.id).toBe(forced.json.commit.sha);
    const files = [{ operation: "create", path: "p", content: "" }];
    const many = { files, new_branch: "taken" };
    expect((await call("POST", `${name}/contents`, many)).json.message).toBe(
      "branch already exists [name: taken]",
    );
  });

  it("201: in a SHA-256 repository (B-09)", async () => {
    const { name } = await makeFilled({ object_format_name: "sha256" });
    const { json } = await call("POST", `${name}/contents/n`, { content: base64("x") });
    expect(json.commit.sha).toMatch(/^[0-9a-f]{64}$/);
    expect(await raw(`${name}/raw/n`)).toBe("x");
  });
});

describe("repoUpdateFile", () => {
  it("race: changes of different files land all, one after the other", async () => {
    const { name } = await makeFilled();
    const paths = Array.from({ length: 6 }, (_, at) => `n${at}`);
    const answers = await Promise.all(
      paths.map((path) => call("POST", `${name}/contents/${path}`, { content: base64(path) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 201));
    for (const path of paths) expect(await raw(`${name}/raw/${path}`)).toBe(path);
  });
});
