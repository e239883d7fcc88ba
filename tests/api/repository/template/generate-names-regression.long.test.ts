import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDotGit } from "#core/git/format/check-path";
import { type Caller, makeApi, type TestApi } from "#tests/support/api";
import { makeRepository, pushFiles } from "#tests/support/code";

let api: TestApi;
let alice: Caller;
let made = 0;

beforeAll(async () => {
  api = await makeApi({ simulation: false });
  alice = await api.makeUser({ name: "alice" });
  await makeRepository(api, alice, "names", { template: true });
  const named = "$REPO_DESCRIPTION";
  await pushFiles(api, alice, "names", {
    files: { ".gitea/template": "**", [`a/${named}`]: "file", [`b/${named}/c`]: "folder" },
  });
  await makeRepository(api, alice, "modules", { template: true });
  await pushFiles(api, alice, "modules", {
    files: {
      ".gitea/template": "**",
      ".gitmodules": `[submodule "m"]\n\tpath = m\n\turl = ${named}\n`,
    },
  });
});
afterAll(() => api.stop());

async function generate(template: string, description: string) {
  made += 1;
  const body = { owner: "alice", name: `made-${made}`, git_content: true, description };
  const { status, json } = await api.call("POST", `/repos/alice/${template}/generate`, { as: alice, body });
  return { status, message: json.message as string, path: `/repos/alice/made-${made}` };
}

describe("generateRepo", () => {
  it.each([
    [".g\u200cit", "$REPO_DESCRIPTION"],
    ["GIT~1", "$REPO_DESCRIPTION"],
    [".git. .", "$REPO_DESCRIPTION"],
    ["..", "$REPO_DESCRIPTION"],
    [".", "$REPO_DESCRIPTION"],
    ["x\\.git", "x_.git"],
    ["../../up", ".._.._up"],
    ["bell\u0007", "bell_"],
    ["plain words", "plain words"],
  ])(
    "201: %j in a name neither leaves its folder nor makes one that git refuses",
    async (description, name) => {
      const { status, message, path } = await generate("names", description);
      expect(status, message).toBe(201);
      const { json } = await api.call("GET", `${path}/git/trees/main?recursive=1`, { as: alice });
      const paths: string[] = json.tree.map((entry: { path: string }) => entry.path);
      expect(paths).toEqual(["a", `a/${name}`, "b", `b/${name}`, `b/${name}/c`]);
      expect(paths.some((one) => one.split("/").some((part) => isDotGit(Buffer.from(part))))).toBe(false);
    },
  );

  it.each(["--upload-pack=touch /tmp/x", "https:///nowhere", "-u"])(
    "422: %j in .gitmodules, as in a push; nothing is made",
    async (description) => {
      const { status, message, path } = await generate("modules", description);
      expect([status, message]).toEqual([422, expect.stringContaining("git would refuse this")]);
      expect((await api.call("GET", path, { as: alice })).status).toBe(404);
    },
  );

  it("201: an honest address in .gitmodules", async () => {
    expect((await generate("modules", "https://example.com/m.git")).status).toBe(201);
  });
});
