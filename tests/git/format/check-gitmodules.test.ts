import { beforeAll, describe, expect, it } from "vitest";
import { checkGitmodules } from "#core/git/format/check-gitmodules";
import { hashObject } from "#core/git/format/object-format";
import { createPack } from "#core/git/pack/create-pack";
import { runGit } from "#tests/git/http/real-git";
import { bareRepository } from "#tests/git/pack/real-git";

const submodule = (setting: string, name = "lib") => `[submodule "${name}"]\n\t${setting}\n`;

describe("checkGitmodules", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await bareRepository("sha1", "file");
  });

  async function isRefusedByGit(text: string): Promise<boolean> {
    const data = Buffer.from(text);
    const tree = Buffer.concat([Buffer.from("100644 .gitmodules\0"), hashObject("sha1", "blob", data)]);
    const { pack } = createPack("sha1", [
      { type: "blob", data },
      { type: "tree", data: tree },
    ]);
    return (await runGit(folder, ["index-pack", "--stdin", "--strict"], { input: pack })).code !== 0;
  }

  it.each([
    ["gitmodulesName", submodule("path = x", "../../evil")],
    ["gitmodulesName", submodule("path = x", "a/../b")],
    ["gitmodulesName", submodule("path = x", "..")],
    ["gitmodulesName", submodule("path = x", "a\\\\..\\\\b")],
    ["gitmodulesUrl", submodule("url = -u./payload")],
    ["gitmodulesUrl", submodule('url = "--upload-pack=x"')],
    ["gitmodulesUrl", submodule("url = https://example.org/%0ahost=evil")],
    ["gitmodulesUrl", submodule("url = https:///example.org")],
    ["gitmodulesPath", submodule("path = -x")],
    ["gitmodulesUpdate", submodule("update = !run me")],
    ["gitmodulesUpdate", `; a comment\n[core]\n\tbare\n[SubModule "x"] UPDATE="!x" # more\n`],
  ])("finds %s in %j, as git does", async (expected, text) => {
    expect(checkGitmodules(Buffer.from(text))?.problem).toBe(expected);
    expect(await isRefusedByGit(text)).toBe(true);
  });

  it.each([
    "",
    submodule("path = lib\n\turl = https://example.org/lib.git\n\tupdate = rebase"),
    submodule("url = ../lib.git"),
    submodule("url = git@example.org:lib.git"),
    submodule("url = ssh://git@example.org/lib"),
    submodule("path = a-b", "..a/b.."),
    submodule("path = a \\\n b # -c"),
    '[submodule]\n\turl = "-x"\n',
    'no configuration at all\n[submodule ".."]\n\tpath = x\n',
  ])("accepts %j, as git does", async (text) => {
    expect(checkGitmodules(Buffer.from(text))).toBeUndefined();
    expect(await isRefusedByGit(text)).toBe(false);
  });
});
