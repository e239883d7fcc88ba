import { describe, expect, it } from "vitest";
import { commitMessage, commitSignature, parseCommit, serializeCommit } from "#core/git/format/commit";
import { parseIdentity } from "#core/git/format/identity";
import { objectIdOf } from "#core/git/format/object-format";
import { parseTag, serializeTag, tagMessage } from "#core/git/format/tag";
import {
  canonicalMode,
  entryName,
  entryPath,
  parseTree,
  serializeTree,
  typeOfMode,
} from "#core/git/format/tree";
import { bareRepository, git, gitText } from "#tests/git/pack/real-git";

const ada = { name: "Ada Example", email: "ada@example.org", seconds: 1_700_000_000, timezone: "+0100" };
const id = "ab".repeat(20);

describe("commits", () => {
  it("are written as git commit-tree writes them", async () => {
    const folder = await bareRepository("sha1");
    const tree = await gitText(folder, ["mktree"]);
    const real = await gitText(folder, ["commit-tree", tree, "-m", "Grüße\n\nmore"]);
    const data = serializeCommit({
      tree,
      parents: [],
      author: ada,
      committer: ada,
      extraHeaders: [],
      message: Buffer.from("Grüße\n\nmore\n"),
    });
    expect(objectIdOf("sha1", "commit", data)).toBe(real);
    expect(parseCommit(await git(folder, ["cat-file", "commit", real]))).toMatchObject({
      tree,
      parents: [],
      author: ada,
      committer: ada,
    });
  });

  it("keep signatures, merge tags, unknown headers and encodings exactly", () => {
    const text = [
      `tree ${id}`,
      `parent ${id}`,
      `parent ${id}`,
      "author Ada Example <ada@example.org> 1700000000 +0100",
      "committer Ada Example <ada@example.org> 1700000000 +0100",
      "encoding ISO-8859-1",
      "mergetag object 12",
      " type commit",
      " ",
      " text",
      "gpgsig -----BEGIN PGP SIGNATURE-----",
      " ",
      " abc",
      " -----END PGP SIGNATURE-----",
      "x-unknown some value",
      "",
      "caf\xe9\n",
    ].join("\n");
    const data = Buffer.from(text, "latin1");
    const commit = parseCommit(data);
    expect(serializeCommit(commit).equals(data)).toBe(true);
    expect(commit.parents).toEqual([id, id]);
    expect(commit.extraHeaders.map(({ name }) => name)).toEqual(["mergetag", "gpgsig", "x-unknown"]);
    expect(commitMessage(commit)).toBe("café\n");
    const signed = commitSignature(data);
    expect(signed?.signature).toBe("-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----");
    expect(signed?.payload.toString("latin1")).toBe(text.replace(/gpgsig.*END PGP SIGNATURE-----\n/s, ""));
  });

  it("with historic oddities are read", () => {
    const data = Buffer.from(`tree ${id}\nauthor nobody\ncommitter <a@b> 12 \n\nx`);
    expect(parseCommit(data)).toMatchObject({
      author: { name: "nobody", email: "", seconds: 0, timezone: "+0000" },
      committer: { name: "", email: "a@b", seconds: 12, timezone: "+0000" },
    });
    expect(() => parseCommit(Buffer.from("nothing"))).toThrow("tree");
  });

  it("can't be broken by a name or an address", () => {
    const evil = { ...ada, name: "A <x>\nparent 12", email: "a>\nb" };
    const data = serializeCommit({
      tree: id,
      parents: [],
      author: evil,
      committer: ada,
      extraHeaders: [],
      message: Buffer.alloc(0),
    });
    expect(parseCommit(data).author).toEqual({ ...ada, name: "A xparent 12", email: "ab" });
    expect(parseCommit(data).parents).toEqual([]);
  });

  it("in UTF-8 or latin1 without saying so give their text", () => {
    expect(parseIdentity("Zoë <z@e> 1 +0000").name).toBe("Zoë");
    const data = Buffer.from(
      `tree ${id}\nauthor Zo\xeb <z@e> 1 +0000\ncommitter Z <z@e> 1 +0000\n\n\xeb`,
      "latin1",
    );
    expect(parseCommit(data).author.name).toBe("Zoë");
    expect(commitMessage(parseCommit(data))).toBe("ë");
  });
});

describe("tags", () => {
  it("are written as git tag writes them", async () => {
    const folder = await bareRepository("sha256");
    const tree = await gitText(folder, ["mktree"]);
    const commit = await gitText(folder, ["commit-tree", tree, "-m", "x"]);
    await git(folder, ["tag", "-a", "v1", "-m", "First", commit]);
    const real = await git(folder, ["cat-file", "tag", "v1"]);
    const tag = parseTag(real);
    expect(tag).toMatchObject({ object: commit, type: "commit", name: "v1", tagger: ada });
    expect(serializeTag(tag).equals(real)).toBe(true);
  });

  it("give message and signature apart; a missing tagger is read", () => {
    const signature = "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n";
    const data = Buffer.from(`object ${id}\ntype commit\ntag v1\n\nFirst\n${signature}`);
    const tag = parseTag(data);
    expect(tag.tagger).toBeUndefined();
    expect(tagMessage(tag)).toEqual({ text: "First\n", signature });
    expect(serializeTag(tag).equals(data)).toBe(true);
  });
});

describe("trees", () => {
  it("are sorted and written as git mktree does", async () => {
    const folder = await bareRepository("sha1");
    const names = ["a", "a.b", "a0", "é", "b"];
    const lines = names.map((name) =>
      name === "a" ? `040000 tree ${id}\t${name}` : `100644 blob ${id}\t${name}`,
    );
    const real = await gitText(folder, ["mktree", "--missing"], `${lines.join("\n")}\n`);
    const entries = names.map((name) => ({
      mode: name === "a" ? 0o40000 : 0o100644,
      path: entryPath(name),
      id,
    }));
    const data = serializeTree(entries);
    expect(objectIdOf("sha1", "tree", data)).toBe(real);
    expect(parseTree("sha1", data).map(({ path }) => entryName(path))).toEqual(["a.b", "a", "a0", "b", "é"]);
  });

  it("keep names that are no UTF-8, and old modes", () => {
    const entries = [{ mode: 0o100664, path: "\xff\xfe", id }];
    const data = serializeTree(entries);
    expect(parseTree("sha1", data)).toEqual(entries);
    expect(entryName("\xff\xfe")).toBe("ÿþ");
    expect(canonicalMode(0o100664)).toBe(0o100644);
    expect(canonicalMode(0o100775)).toBe(0o100755);
    expect([0o40000, 0o160000, 0o120000, 0o100644].map(typeOfMode)).toEqual([
      "tree",
      "commit",
      "blob",
      "blob",
    ]);
  });

  it("cut short or with modes that are not octal are refused", () => {
    const data = serializeTree([{ mode: 0o100644, path: "a", id }]);
    for (let length = 1; length < data.length; length++) {
      expect(() => parseTree("sha1", data.subarray(0, length))).toThrow();
    }
    expect(() => parseTree("sha1", Buffer.concat([Buffer.from("10x a\0"), Buffer.alloc(20)]))).toThrow(
      "octal",
    );
  });
});
