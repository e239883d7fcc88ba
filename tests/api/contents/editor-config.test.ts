import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { settingsFor } from "#core/code/editor-config";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;

beforeAll(async () => {
  api = await makeApi();
  alice = await api.makeUser({ name: "alice" });
  for (const name of ["r", "bare"]) await makeRepository(api, alice, name);
  await pushFiles(api, alice, "r", {
    files: { ".editorconfig": "root = true\n[*.md]\nindent_size = 3\n", "README.md": "" },
  });
  await pushFiles(api, alice, "r", {
    ...{ branch: "x/y", from: "main", files: { ".editorconfig": "[*]\nindent_style = tab\n" } },
  });
  await pushFiles(api, alice, "bare", { files: { "README.md": "" } });
});
afterAll(() => api.stop());

const get = (path: string) => api.call("GET", `/repos/alice/${path}`);

describe("repoGetEditorConfig", () => {
  it("200: of the default branch and of another ref, in any folder (OP-repoGetEditorConfig, semantics §24.8)", async () => {
    const first = await get("r/editorconfig/docs/a%2Fb.md");
    expect([first.status, first.json]).toEqual([200, { indent_size: "3", tab_width: 3 }]);
    const second = await get("r/editorconfig/any?ref=x/y");
    expect(second.json).toEqual({ indent_style: "tab", indent_size: "tab" });
  });

  it("404: no section for the file, no such file, an unknown ref, an empty repository", async () => {
    for (const path of [
      "r/editorconfig/a.c",
      "bare/editorconfig/README.md",
      "r/editorconfig/a.md?ref=none",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    await makeRepository(api, alice, "empty");
    expect((await get("empty/editorconfig/a.md")).status).toBe(404);
    await pushFiles(api, alice, "bare", { files: { ".editorconfig": `[*]\n#${"x".repeat(200_000)}\n` } });
    expect((await get("bare/editorconfig/README.md")).status).toBe(404);
  });
});

describe("sections of an .editorconfig", () => {
  it.each([
    ["*.js", "a/b.js", true],
    ["*.js", "a.json", false],
    ["lib/*.js", "lib/a.js", true],
    ["lib/*.js", "x/lib/a.js", false],
    ["lib/*.js", "lib/deep/a.js", false],
    ["lib/**.js", "lib/deep/a.js", true],
    ["/top", "top", true],
    ["/top", "a/top", false],
    ["{a,b}.c", "b.c", true],
    ["{a}.c", "{a}.c", true],
    ["{a}.c", "a.c", false],
    ["f{1..12}", "f12", true],
    ["f{1..12}", "f13", false],
    ["[!a]b", "cb", true],
    ["[!a]b", "ab", false],
    ["{a,b", "a", false],
  ])("[%s] for %s: %s", async (pattern, path, isFor) => {
    expect((await settingsFor(`[${pattern}]\nindent_size=2\n`, path)) !== undefined).toBe(isFor);
  });

  it("later ones go first, unset takes back, sizes follow from each other, comments count for nothing", async () => {
    const text = [
      "\ufeffindent_size = 9",
      "[*]\r",
      "Indent_Style = TAB",
      "tab_width = 8 ",
      "charset = utf-8",
      "; end_of_line = lf",
      "trim_trailing_whitespace = true",
      "[*.c]",
      "charset = unset",
      "insert_final_newline = false",
      "max_line_length = 80",
    ].join("\n");
    expect(await settingsFor(text, "a.c")).toEqual({
      ...{ indent_style: "tab", indent_size: "8", tab_width: 8 },
      ...{ trim_trailing_whitespace: true, insert_final_newline: false },
    });
  });

  it("numbers written out count for the length of a pattern: sections past the bound are for other files", async () => {
    const section = (number: number) => `[f{1..200}]\ntab_width=${number}\n`;
    const first = await settingsFor(section(1), "f7");
    expect(first).toMatchObject({ tab_width: 1 });
    const many = Array.from({ length: 8_000 }, (_, at) => section(at + 1)).join("");
    expect((await settingsFor(many, "f7"))?.tab_width).toBe(Math.floor(40_000 / (200 * 8 + 9)));
    const ranges = `[${"{1..200}".repeat(16_000)}]\ntab_width=1\n`;
    expect(await settingsFor(ranges, "f7")).toBeUndefined();
  });

  it("patterns that would take for ever are soon done with", async () => {
    const hostile = Array.from(
      { length: 100 },
      () => `[${"{*a,".repeat(19)}b${"}".repeat(19)}${"*a".repeat(300)}c]`,
    );
    expect(await settingsFor(hostile.join("\n"), "a".repeat(2_000))).toBeUndefined();
  });
});
