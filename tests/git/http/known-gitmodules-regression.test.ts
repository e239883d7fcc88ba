import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GitServer, startGitServer } from "./git-server.ts";
import { Folders, WorkingCopy } from "./real-git.ts";

let server: GitServer;
const folders = new Folders();
beforeAll(async () => {
  server = await startGitServer({});
});
afterAll(async () => {
  await server.stop();
  await folders.remove();
});

const modules = (url: string) => `[submodule "m"]\n\tpath = m\n\turl = ${url}\n`;

describe("a push whose .gitmodules is a blob that the repository has under another name", () => {
  it("is refused when it would endanger clients, and lands when not", async () => {
    const { url } = await server.create("modules");
    const work = await WorkingCopy.init(folders);
    const [evil, honest] = [modules("--upload-pack=touch x"), modules("https://example.org/m.git")];
    await work.commit({ "evil.txt": evil, "honest.txt": honest });
    await work.git("push", "-q", url, "main");
    await work.commit({ ".gitmodules": evil });
    const { code, stderr } = await work.try("push", "-q", url, "main");
    expect([code, stderr]).toEqual([1, expect.stringContaining("a submodule with a dangerous address")]);
    await work.git("reset", "-q", "--hard", "HEAD~1");
    await work.commit({ ".gitmodules": honest });
    await work.git("push", "-q", url, "main");
  });
});
