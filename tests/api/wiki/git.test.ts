import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, gitText, temporaryFolder } from "#tests/git/pack/real-git";
import type { Caller } from "#tests/support/api";
import { makeRepository } from "#tests/support/code";
import { alice, api, bob, create, served, stored, useWikiGit } from "./git-world.ts";

useWikiGit();

/** A folder with a commit of one page. */
async function pageIn(file: string, branch = "main"): Promise<string> {
  const folder = await temporaryFolder();
  await git(folder, ["init", "-q", "-b", branch, "."]);
  await writeFile(join(folder, file), "# pushed\n");
  await git(folder, ["add", "."]);
  await git(folder, ["commit", "-q", "-m", "push"]);
  return folder;
}

describe("a wiki over git (D-WIKI)", () => {
  it("is cloned with the pages of the API, and takes pages by a push (semantics §65.3-4)", async () => {
    await makeRepository(api, alice, "tale");
    await create("tale", "Home");
    const folder = await temporaryFolder();
    await git(folder, ["clone", "-q", served.url("alice/tale.wiki"), "."]);
    expect(await gitText(folder, ["ls-files"])).toBe("Home.md");
    await writeFile(join(folder, "From git.md"), "pushed\n");
    await writeFile(join(folder, "picture.png"), "no page\n");
    await git(folder, ["add", "."]);
    await git(folder, ["commit", "-q", "-m", "push"]);
    await git(folder, ["push", "-q", served.url("alice/tale.wiki", alice), "main"]);
    const pages = await api.call("GET", "/repos/alice/tale/wiki/pages");
    expect(pages.json.map(({ title }: { title: string }) => title)).toEqual(["From git", "Home"]);
    expect((await api.call("GET", "/repos/alice/tale/wiki/page/From-git")).status).toBe(200);
  });

  it("begins with a push, whatever its branch is called", async () => {
    const id = await makeRepository(api, alice, "begun");
    const folder = await pageIn("Home.md", "trunk");
    await git(folder, ["push", "-q", served.url("alice/begun.wiki", alice), "trunk"]);
    expect((await api.call("GET", "/repos/alice/begun")).json.wiki_branch).toBe("trunk");
    expect((await api.call("GET", "/repos/alice/begun/wiki/page/Home")).json.commit_count).toBe(1);
    expect((await stored(id)).wikiBranch).toBe("trunk");
    expect((await api.call("GET", "/repos/alice/begun")).json).toMatchObject({ empty: true, size: 0 });
  });

  it("refuses who may not write it, archived repositories, and units that are off", async () => {
    await makeRepository(api, alice, "guarded");
    const folder = await pageIn("Home.md");
    const push = (as?: Caller) => git(folder, ["push", "-q", served.url("alice/guarded.wiki", as), "main"]);
    await expect(push()).rejects.toThrow(/could not read Username|Authentication failed|log in/);
    await expect(push(bob)).rejects.toThrow(/403/);
    await push(alice);
    await api.call("PATCH", "/repos/alice/guarded", { as: alice, body: { archived: true } });
    await git(folder, ["commit", "-q", "--allow-empty", "-m", "more"]);
    await expect(push(alice)).rejects.toThrow(/403/);
    await api.call("PATCH", "/repos/alice/guarded", {
      as: alice,
      body: { archived: false, has_wiki: false },
    });
    await expect(push(alice)).rejects.toThrow(/not found|404/);
  });
});

describe("a wiki's life with its repository", () => {
  it("wiki_branch renames the branch; a taken or malformed name is 422 (semantics §65.2)", async () => {
    await makeRepository(api, alice, "branchy");
    const edit = (wiki_branch: string) =>
      api.call("PATCH", "/repos/alice/branchy", { as: alice, body: { wiki_branch } });
    expect((await edit("early")).json.wiki_branch).toBe("early");
    await create("branchy", "Home");
    expect((await edit("pages")).json.wiki_branch).toBe("pages");
    expect((await edit("a..b")).status).toBe(422);
    const folder = await temporaryFolder();
    await git(folder, ["clone", "-q", served.url("alice/branchy.wiki"), "."]);
    expect(await gitText(folder, ["branch", "-a"])).toMatch(/^\* pages\n.*origin\/HEAD -> origin\/pages/);
    await git(folder, ["push", "-q", served.url("alice/branchy.wiki", alice), "pages:other"]);
    expect((await edit("other")).status).toBe(422);
    await create("branchy", "Second");
    expect((await api.call("GET", "/repos/alice/branchy/wiki/pages")).json).toHaveLength(2);
  });

  it("a page that is written while the repository is deleted is refused (404)", async () => {
    const id = await makeRepository(api, alice, "vanishing");
    await create("vanishing", "Home");
    const repository = await stored(id);
    await api.call("DELETE", "/repos/alice/vanishing", { as: alice });
    const { createWikiPage } = await import("#core/wiki/change");
    const page = { title: "Late", content: Buffer.alloc(0), message: "" };
    const late = createWikiPage(api.forge, repository, { user: alice.user }, page);
    await expect(late).rejects.toMatchObject({ message: expect.stringContaining("gone") });
  });
});
