import { describe, expect, it } from "vitest";
import { ada, api, markdown, useMarkdown } from "./render-world.ts";

useMarkdown();

const rootUrl = "https://forge.example";

describe("renderMarkdown", () => {
  it("200 HTML for anybody (OP-renderMarkdown, D-MARKDOWN), and asks nothing of the three services", async () => {
    const { status, text, headers } = await markdown({
      Text: "# a\n**b** <script>x</script>",
      Mode: "markdown",
    });
    expect({ status, text }).toEqual({
      status: 200,
      text: '<h1 id="user-content-a">a</h1>\n<p><strong>b</strong> </p>\n',
    });
    expect(headers.get("content-type")).toBe("text/html;charset=utf-8");
    expect(headers.get("server-timing")).toContain('"0 requests');
  });

  it("`comment` keeps line breaks and links mentions, others do not; keys match whatever their case", async () => {
    const Text = "a\nb @bob";
    expect((await markdown({ Text, Mode: "comment" })).text).toBe(
      `<p>a<br />\nb <a href="${rootUrl}/bob" class="mention" rel="nofollow">@bob</a></p>\n`,
    );
    for (const Mode of ["gfm", "markdown", "unheard-of", undefined]) {
      expect((await markdown({ text: Text, mode: Mode })).text).toBe("<p>a\nb @bob</p>\n");
    }
  });

  it("references are to the repository of `Context`, relative links begin there", async () => {
    const { text } = await markdown({ Text: "#1 [x](y)", Mode: "gfm", Context: "ada/engine" });
    expect(text).toContain(`href="${rootUrl}/ada/engine/issues/1"`);
    expect(text).toContain(`href="${rootUrl}/ada/engine/y"`);
    const wiki = await markdown({
      Text: "[x](Page) ![i](i.png)",
      Context: `${rootUrl}/ada/engine`,
      Wiki: true,
    });
    expect(wiki.text).toContain(`href="${rootUrl}/ada/engine/wiki/Page"`);
    expect(wiki.text).toContain(`src="${rootUrl}/ada/engine/wiki/raw/i.png"`);
  });

  it("a context that is no address of the web is a path of this instance", async () => {
    const { text } = await markdown({ Text: "[x](y)", Context: "javascript:alert(1)//" });
    expect(text).toContain(`href="${rootUrl}/javascript:alert(1)/y"`);
  });

  it("200 and nothing for an empty or absent text", async () => {
    for (const body of [{ Text: "" }, {}])
      expect(await markdown(body)).toMatchObject({ status: 200, text: "" });
  });

  it("422 for what is no JSON, for a text over 1,048,576 characters, and for a context over its bound", async () => {
    const broken = await api.call("POST", "/markdown", {
      raw: "{bad",
      headers: { "content-type": "application/json" },
    });
    expect(broken.status).toBe(422);
    expect((await markdown({ Text: "a".repeat(2 ** 20 + 1) })).status).toBe(422);
    expect((await markdown({ Text: "a", Context: "a".repeat(3_000) })).status).toBe(422);
    expect((await markdown({ Text: 1 })).status).toBe(422);
  });

  it("422 without a body (OP-renderMarkdown, semantics §28)", async () => {
    const ofRepository = "/repos/ada/engine";
    for (const path of ["/markdown", "/markup", `${ofRepository}/markdown`, `${ofRepository}/markup`]) {
      const { status, json } = await api.call("POST", path, { as: ada });
      expect([path, status, json.message]).toEqual([path, 422, "[]: a body is required"]);
    }
  });
});

describe("renderMarkdownRaw", () => {
  it("200: plain Markdown from plain text; 422: a text over 1,048,576 characters (OP-renderMarkdownRaw)", async () => {
    const raw = "# A\n@bob #1";
    const headers = { "content-type": "text/plain" };
    expect((await api.call("POST", "/markdown/raw", { raw, headers })).text).toBe(
      '<h1 id="user-content-a">A</h1>\n<p>@bob #1</p>\n',
    );
    expect((await api.call("POST", "/markdown/raw", { raw: "", headers })).text).toBe("");
    const long = "a".repeat(2 ** 20 + 1);
    expect((await api.call("POST", "/markdown/raw", { raw: long, headers })).status).toBe(422);
  });

  it("200: the same under the other names of Markdown, and as curl sends a file", async () => {
    for (const type of ["text/markdown", "text/x-markdown", "application/x-www-form-urlencoded"]) {
      const headers = { "content-type": type };
      const { status, text } = await api.call("POST", "/markdown/raw", { raw: "a=*b*&c", headers });
      expect([status, text]).toEqual([200, "<p>a=<em>b</em>&amp;c</p>\n"]);
    }
  });

  it("415 for JSON", async () => {
    expect((await api.call("POST", "/markdown/raw", { body: {} })).status).toBe(415);
  });
});

describe("renderMarkup", () => {
  const markup = (body: object) => api.call("POST", "/markup", { body, as: ada });

  it("401 anonymous", async () => {
    expect((await api.call("POST", "/markup", { body: { Text: "a", Mode: "gfm" } })).status).toBe(401);
  });

  it("200: `file` renders by the extension, links beginning at the file's folder", async () => {
    const Text = "# a\n[x](y.md) ![i](i.png)";
    const file = {
      Text,
      Mode: "file",
      FilePath: "docs/x.md",
      BranchPath: "branch/main",
      Context: "ada/engine",
    };
    const { status, text } = await markup(file);
    expect(status).toBe(200);
    expect(text).toContain("<h1");
    expect(text).toContain(`href="${rootUrl}/ada/engine/src/branch/main/docs/y.md"`);
    expect(text).toContain(`src="${rootUrl}/ada/engine/media/branch/main/docs/i.png"`);
  });

  it("422 for an unknown mode, for none, for a file that nothing renders; 200 for no text", async () => {
    expect((await markup({ Text: "a", Mode: "zzz" })).status).toBe(422);
    expect((await markup({ Text: "a" })).status).toBe(422);
    expect((await markup({ Text: "a", Mode: "file", FilePath: "x.exe" })).status).toBe(422);
    expect((await markup({ Text: "a", Mode: "file" })).status).toBe(422);
    expect(await markup({ Text: "", Mode: "zzz" })).toMatchObject({ status: 200, text: "" });
  });
});

describe('"repoRenderMarkdown", "repoRenderMarkdownRaw", "repoRenderMarkup"', () => {
  it("200: references are to the repository of the path", async () => {
    const body = { Text: "#1", Mode: "gfm" };
    for (const path of ["/repos/ada/engine/markdown", "/repos/ada/engine/markup"]) {
      const { text } = await api.call("POST", path, { body, as: ada });
      expect(text).toContain(`href="${rootUrl}/ada/engine/issues/1"`);
    }
    const raw = { raw: "#1", headers: { "content-type": "text/plain" } };
    expect((await api.call("POST", "/repos/ada/engine/markdown/raw", raw)).text).toBe("<p>#1</p>\n");
  });

  it("422: a text over 1,048,576 characters (repoRenderMarkdown, repoRenderMarkdownRaw, repoRenderMarkup)", async () => {
    const Text = "a".repeat(2 ** 20 + 1);
    for (const path of ["markdown", "markup"]) {
      const asked = { body: { Text, Mode: "gfm" }, as: ada };
      expect((await api.call("POST", `/repos/ada/engine/${path}`, asked)).status).toBe(422);
    }
    const raw = { raw: Text, headers: { "content-type": "text/plain" } };
    expect((await api.call("POST", "/repos/ada/engine/markdown/raw", raw)).status).toBe(422);
  });

  it("404 for a repository that the caller may not see", async () => {
    const bob = await api.makeUser();
    for (const path of ["markdown", "markup"]) {
      const asked = { body: { Text: "a", Mode: "gfm" }, as: bob };
      expect((await api.call("POST", `/repos/ada/hidden/${path}`, asked)).status).toBe(404);
    }
  });
});
