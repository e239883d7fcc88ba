import { describe, expect, it } from "vitest";
import { symlinkMode } from "#core/git/format/tree";
import { makeRepository, pushFiles } from "#tests/support/code";
import { api, get, markdown, olga, templatesOf, useTemplates, withFiles } from "./issue-templates-world.ts";

useTemplates();

const form = `name: Wish
description: Something is lacking
labels: [wish]
ref: refs/tags/v1
body:
  - type: markdown
    attributes: { value: Thanks! }
  - type: input
    id: version
    attributes: { label: Version, placeholder: "1.0" }
    validations: { required: true, is_number: false, regex: "^v" }
  - type: textarea
    attributes: { label: Why }
    visible: [content]
  - type: dropdown
    attributes: { label: Where, options: [here, there], multiple: true, default: 1 }
  - type: checkboxes
    attributes: { label: Terms, options: [{ label: I agree, required: true }] }
`;

describe("repoGetIssueTemplates", () => {
  it("200: Markdown and forms with all that they say, from every folder in order (semantics §52)", async () => {
    const templates = await templatesOf({
      ".gitea/issue_template/wish.yaml": form,
      "ISSUE_TEMPLATE/bug.md": markdown,
      ".github/ISSUE_TEMPLATE/later.md": markdown,
      ".gitlab/issue_template/last.yml": form,
      "issue_template/config.yml": "blank_issues_enabled: false",
      "docs/ISSUE_TEMPLATE/else.md": markdown,
    });
    expect(templates.map((one: { file_name: string }) => one.file_name)).toEqual([
      "ISSUE_TEMPLATE/bug.md",
      ".gitea/issue_template/wish.yaml",
      ".github/ISSUE_TEMPLATE/later.md",
      ".gitlab/issue_template/last.yml",
    ]);
    expect(templates[0]).toEqual({
      name: "Bug",
      title: "[bug] ",
      about: "Something is broken",
      labels: ["bug", '"help wanted"'],
      assignees: ["olga"],
      ref: "refs/heads/main",
      content: "\nWhat happened?\n",
      body: [],
      file_name: "ISSUE_TEMPLATE/bug.md",
    });
    expect(templates[1]).toMatchObject({
      ...{ name: "Wish", about: "Something is lacking", labels: ["wish"], ref: "refs/tags/v1", content: "" },
      body: [
        { type: "markdown", id: "0", attributes: { value: "Thanks!" }, visible: ["form"] },
        {
          type: "input",
          id: "version",
          attributes: { label: "Version", placeholder: "1.0" },
          validations: { required: true, is_number: false, regex: "^v" },
          visible: ["form", "content"],
        },
        { type: "textarea", id: "2", validations: {}, visible: ["content"] },
        { type: "dropdown", id: "3", attributes: { options: ["here", "there"], multiple: true, default: 1 } },
        { type: "checkboxes", id: "4", attributes: { options: [{ label: "I agree", required: true }] } },
      ],
    });
  });

  it("200: Markdown without a readable head is its own content, named after its file", async () => {
    const text = `${"é".repeat(60)}\nmore`;
    const [plain, broken] = await templatesOf({
      "ISSUE_TEMPLATE/a.md": text,
      "ISSUE_TEMPLATE/b.md": "---\nname: [\n---\nrest",
    });
    expect(plain).toMatchObject({
      name: "a.md",
      about: "é".repeat(40),
      content: text,
      title: "",
      labels: [],
    });
    expect(broken).toMatchObject({ name: "b.md", content: "---\nname: [\n---\nrest" });
  });

  it("200: what is not valid is left out", async () => {
    const bodies: Readonly<Record<string, string>> = {
      "no body": "",
      "empty body": "body: []",
      "unknown type": "body: [{ type: radio, attributes: { label: a } }]",
      "no label": "body: [{ type: input, attributes: {} }]",
      "no value": "body: [{ type: markdown, attributes: {} }]",
      "bad id": "body: [{ type: input, id: a b, attributes: { label: a } }]",
      "one id twice":
        "body: [{ type: input, id: a, attributes: { label: a } }, { type: input, id: a, attributes: { label: b } }]",
      "id that is a place":
        "body: [{ type: input, id: '1', attributes: { label: a } }, { type: input, attributes: { label: b } }]",
      "no options": "body: [{ type: dropdown, attributes: { label: a, options: [] } }]",
      "default past the options":
        "body: [{ type: dropdown, attributes: { label: a, options: [b], default: 1 } }]",
      "no number": "body: [{ type: input, attributes: { label: a }, validations: { is_number: maybe } }]",
      "no visibility": "body: [{ type: input, attributes: { label: a }, visible: [nowhere] }]",
      "no list": "body: words",
    };
    const files = Object.entries(bodies).map(([name, body], at) => {
      return [`ISSUE_TEMPLATE/${at}.yaml`, `name: ${name}\nabout: x\n${body}\n`] as const;
    });
    const wrong = {
      "ISSUE_TEMPLATE/no-name.md": "---\nabout: x\n---\ntext",
      "ISSUE_TEMPLATE/no-about.md": "---\nname: x\n---\ntext",
      "ISSUE_TEMPLATE/empty.md": "",
      "ISSUE_TEMPLATE/list.yaml": "- name: x",
      "ISSUE_TEMPLATE/nothing.yaml": "",
      "ISSUE_TEMPLATE/words.txt": markdown,
      "ISSUE_TEMPLATE/link.md": { mode: symlinkMode, text: "../secret" },
      "ISSUE_TEMPLATE/folder.md/inside": markdown,
    };
    expect(await templatesOf({ ...Object.fromEntries(files), ...wrong })).toEqual([]);
  });

  it("200: nothing of an empty repository; 404: hidden ones; pages where they are asked for", async () => {
    await makeRepository(api, olga, "empty");
    expect(await get("/repos/olga/empty/issue_templates")).toEqual([]);
    const hidden = await withFiles({ "ISSUE_TEMPLATE/bug.md": markdown }, { private: true });
    expect((await api.call("GET", `${hidden}/issue_templates`)).status).toBe(404);
    const many = await withFiles(
      Object.fromEntries([1, 2, 3].map((at) => [`ISSUE_TEMPLATE/${at}.md`, markdown])),
    );
    const page = await api.call("GET", `${many}/issue_templates?limit=2&page=2`);
    expect([page.json.length, page.headers.get("x-total-count")]).toEqual([1, "3"]);
  });
});

describe("repoGetIssueConfig", () => {
  const plain = { blank_issues_enabled: true, contact_links: [] };
  const config = `blank_issues_enabled: false
contact_links:
  - name: Chat
    url: https://chat.example.com
    about: Ask there
`;

  it("200: what the first of the files says, valid", async () => {
    const path = await withFiles({
      ".github/ISSUE_TEMPLATE/config.yaml": "blank_issues_enabled: true",
      ".gitea/issue_template/config.yml": config,
      "ISSUE_TEMPLATE/config.yaml": "blank_issues_enabled: words",
    });
    expect(await get(`${path}/issue_config`)).toEqual({
      blank_issues_enabled: false,
      contact_links: [{ name: "Chat", url: "https://chat.example.com", about: "Ask there" }],
    });
    expect(await get(`${path}/issue_config/validate`)).toEqual({ valid: true, message: "" });
  });

  describe("repoValidateIssueConfig", () => {
    it("200: why it is not valid, and then the plain way (semantics §52)", async () => {
      const wrong: readonly (readonly [string, RegExp])[] = [
        ["contact_links: [{ name: a, about: c }]", /contact_links 0: url is missing/],
        ["contact_links: [{ url: 'https://a.example', about: c }]", /name is missing/],
        ["contact_links: [{ name: a, url: 'https://a.example', about: '' }]", /about is missing/],
        ["contact_links: [{ name: a, url: 'javascript:alert(1)', about: c }]", /no http or https address/],
        ["contact_links: words", /contact_links is no list/],
        ["blank_issues_enabled: words", /neither true nor false/],
        ["a: [", /config\.yaml: ./],
        ["- a", /config\.yaml: ./],
      ];
      await makeRepository(api, olga, "wrong");
      const path = "/repos/olga/wrong";
      for (const [text, message] of wrong) {
        const files = { ".forgejo/ISSUE_TEMPLATE/config.yaml": `${text}\n` };
        await pushFiles(api, olga, "wrong", { files });
        expect(await get(`${path}/issue_config`), text).toEqual(plain);
        const validation = await get(`${path}/issue_config/validate`);
        expect(validation, text).toMatchObject({ valid: false, message: expect.stringMatching(message) });
      }
    });
  });

  it("200: the plain way of an empty file, without a file, and of an empty repository; 404: hidden ones", async () => {
    await makeRepository(api, olga, "bare");
    const empty = await withFiles({ ".gitea/ISSUE_TEMPLATE/config.yaml": "" });
    for (const path of ["/repos/olga/bare", empty, await withFiles({ readme: "x" })]) {
      expect(await get(`${path}/issue_config`)).toEqual(plain);
      expect(await get(`${path}/issue_config/validate`)).toEqual({ valid: true, message: "" });
    }
    const hidden = await withFiles({ readme: "x" }, { private: true });
    for (const operation of ["issue_config", "issue_config/validate"]) {
      expect((await api.call("GET", `${hidden}/${operation}`)).status).toBe(404);
    }
  });
});
