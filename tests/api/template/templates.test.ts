import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrganization } from "#core/organization/create";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";

let api: TestApi;
let ada: Caller;
beforeAll(async () => {
  api = await makeApi();
  ada = await api.makeUser({ name: "ada", fullName: "Ada Lovelace" });
});
afterAll(() => api.stop());

const get = (path: string) => api.call("GET", path);

describe("listGitignoresTemplates, getGitignoreTemplateInfo", () => {
  it('"listGitignoresTemplates": 200 names for anybody, in order, from no service', async () => {
    const { status, json, headers } = await get("/gitignore/templates");
    expect(status).toBe(200);
    expect(json).toEqual(expect.arrayContaining(["Go", "Node", "Python", "VisualStudioCode"]));
    expect(json).toEqual([...json].sort());
    expect(headers.get("server-timing")).toContain('"0 requests');
  });

  it('"getGitignoreTemplateInfo": 200 with the text; 404 for what is no name of the list', async () => {
    const { json } = await get("/gitignore/templates/Node");
    expect(json).toEqual({ name: "Node", source: expect.stringContaining("node_modules") });
    for (const name of ["Nope", "node", "..%2F..%2Fpackage", "Global", "%00", "__proto__"]) {
      expect((await get(`/gitignore/templates/${name}`)).status, name).toBe(404);
    }
  });
});

describe("listLicenseTemplates, getLicenseTemplateInfo", () => {
  it('"listLicenseTemplates": 200 keys of the SPDX list with their addresses', async () => {
    const { json } = await get("/licenses");
    const url = `${api.forge.config.rootUrl}/api/v1/licenses/MIT`;
    expect(json).toContainEqual({ key: "MIT", name: "MIT", url });
    expect(json.length).toBeGreaterThan(500);
  });

  it('"getLicenseTemplateInfo": 200 with the text; 404 for an unknown key', async () => {
    const { json } = await get("/licenses/MIT");
    expect(json).toMatchObject({ key: "MIT", body: expect.stringMatching(/^MIT License\n/) });
    expect(json.implementation).not.toBe("");
    for (const key of ["Nope", "mit", "constructor", "..%2Fspdx"]) {
      expect((await get(`/licenses/${key}`)).status, key).toBe(404);
    }
  });
});

describe("listLabelTemplates, getLabelTemplateInfo", () => {
  it('"listLabelTemplates": 200 Default and Advanced', async () => {
    expect((await get("/label/templates")).json).toEqual(["Default", "Advanced"]);
  });

  it('"getLabelTemplateInfo": 200 labels without #; 404 unknown', async () => {
    const { json } = await get("/label/templates/Advanced");
    expect(json).toContainEqual(expect.objectContaining({ name: "Priority/High", exclusive: true }));
    expect(json.every(({ color }: { color: string }) => /^[0-9a-f]{6}$/.test(color))).toBe(true);
    expect((await get("/label/templates/Nope")).status).toBe(404);
  });
});

describe("creations with templates (semantics §24.1)", () => {
  const fields = {
    auto_init: true,
    description: "An engine",
    gitignores: "Node, Go",
    license: "MIT",
    readme: "Default",
    issue_labels: "Advanced",
  };
  const text = async (repository: string, path: string) =>
    (await api.call("GET", `/repos/${repository}/raw/${path}`, { as: ada })).text;

  it("201: the first commit holds what was asked for; the labels are there", async () => {
    const created = await api.call("POST", "/user/repos", { body: { name: "engine", ...fields }, as: ada });
    expect(created.status).toBe(201);
    expect(await text("ada/engine", "README.md")).toBe("# engine\n\nAn engine");
    const ignored = await text("ada/engine", ".gitignore");
    expect(ignored).toMatch(/^# ---> Node\n[\s\S]*node_modules[\s\S]*\n\n# ---> Go\n[\s\S]*\S\n\n$/);
    const year = new Date(api.clock.now()).getUTCFullYear();
    const license = await text("ada/engine", "LICENSE");
    expect(license.split("\n").slice(0, 3)).toEqual([
      "MIT License",
      "",
      `Copyright (c) ${year} Ada Lovelace`,
    ]);
    expect(license.match(/\n/g)).toHaveLength(9); // a line for each paragraph, as SPDX has it
    const labels = await api.call("GET", "/repos/ada/engine/labels", { as: ada });
    expect(labels.json).toHaveLength(18);
    expect(new Set(labels.json.map(({ id }: { id: number }) => id)).size).toBe(18);
  });

  it("201: the same for an organization's repository, and for one that an administrator makes", async () => {
    await createOrganization(api.forge, ada.user, { name: "guild", fullName: "The Guild" });
    const body = { name: "tools", ...fields };
    expect((await api.call("POST", "/orgs/guild/repos", { body, as: ada })).status).toBe(201);
    expect(await text("guild/tools", "LICENSE")).toContain("The Guild");
    const administrator = await api.makeUser({ isAdmin: true });
    const made = await api.call("POST", "/admin/users/ada/repos", { body, as: administrator });
    expect(made.status).toBe(201);
    expect(await text("ada/tools", ".gitignore")).toContain("node_modules");
    expect((await api.call("GET", "/repos/ada/tools/labels", { as: ada })).json).toHaveLength(18);
  });

  it("201: labels without a first commit", async () => {
    const body = { name: "labelled", issue_labels: "Default", license: "Nope" };
    expect((await api.call("POST", "/user/repos", { body, as: ada })).json).toMatchObject({ empty: true });
    expect((await api.call("GET", "/repos/ada/labelled/labels", { as: ada })).json).toHaveLength(7);
  });

  it("422: more than 20 .gitignore templates, or one that there is not, and nothing is made", async () => {
    const { json: names } = await get("/gitignore/templates");
    for (const gitignores of [names.slice(0, 21).join(","), "Node,Nope", "../Node"]) {
      const body = { name: "refused", auto_init: true, gitignores };
      expect((await api.call("POST", "/user/repos", { body, as: ada })).status, gitignores).toBe(422);
    }
    expect((await get("/repos/ada/refused")).status).toBe(404);
  });

  it("costs one request more for the labels' ids, and none for the files", async () => {
    const requests = async (body: object) => {
      const { headers } = await api.call("POST", "/user/repos", { body, as: ada });
      return Number(/(\d+) requests/.exec(headers.get("server-timing") ?? "")?.[1]);
    };
    const bare = await requests({ name: "bare", auto_init: true });
    expect(await requests({ ...fields, name: "whole" })).toBe(bare + 1);
  });
});
