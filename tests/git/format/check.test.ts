import { beforeAll, describe, expect, it } from "vitest";
import { checkObject } from "#core/git/format/check";
import { emptyTreeId, type ObjectFormat, objectIdBytes, zeroId } from "#core/git/format/object-format";
import type { ObjectType } from "#core/git/format/object-type";
import { createPack } from "#core/git/pack/create-pack";
import { runGit } from "#tests/git/http/real-git";
import { bareRepository } from "#tests/git/pack/real-git";
import { createRandom } from "#tests/support/random";

const who = "Ada Example <ada@example.org> 1700000000 +0100";

/** Entries as `mode name`, each naming the same made-up object. */
function tree(
  format: ObjectFormat,
  entries: readonly string[],
  id = Buffer.alloc(objectIdBytes(format), 7),
): Buffer {
  return Buffer.concat(entries.flatMap((entry) => [Buffer.from(`${entry}\0`, "latin1"), id]));
}

const commit = (format: ObjectFormat, lines: readonly string[], message = "\nmessage\n"): Buffer =>
  Buffer.from(`${[`tree ${emptyTreeId(format)}`, ...lines].join("\n")}\n${message}`, "latin1");

describe.each<ObjectFormat>(["sha1", "sha256"])("checkObject of %s objects", (format) => {
  const some = "ab".repeat(objectIdBytes(format));
  let folder: string;

  beforeAll(async () => {
    folder = await bareRepository(format, "file");
  });

  /** What the real git says when it is sent the object with fsck on; links are not followed. */
  async function refusedByGit(type: ObjectType, data: Buffer): Promise<string | undefined> {
    const { pack } = createPack(format, [{ type, data }]);
    const run = await runGit(folder, ["index-pack", "--stdin", "--fsck-objects"], { input: pack });
    return run.code === 0 ? undefined : (/: ([a-zA-Z0-9]+): /.exec(run.stderr)?.[1] ?? "?");
  }

  const problemOf = (type: ObjectType, data: Buffer) => checkObject(format, type, data)?.problem;

  it("takes parents and lines of a signature in any number, and other headers up to 10,000", () => {
    const sent = (more: readonly string[]) =>
      problemOf("commit", commit(format, [`author ${who}`, `committer ${who}`, ...more]));
    const many = Array.from({ length: 10_001 }, (_, at) => `x-${at} y`);
    expect(sent(many)).toBe("manyHeaders");
    expect(sent(many.slice(0, 9_000))).toBeUndefined();
    expect(sent(["gpgsig one", ...many.map(() => " more")])).toBeUndefined();
  });

  it.each<[string, string[]]>([
    ["badTree", ["100644"]],
    ["badTree", ["abc name"]],
    ["emptyName", ["100644 "]],
    ["hasDot", ["100644 ."]],
    ["hasDotdot", ["40000 .."]],
    ["hasDotgit", ["40000 .git"]],
    ["hasDotgit", ["40000 .GIT"]],
    ["hasDotgit", ["100644 .Git "]],
    ["hasDotgit", ["100644 .git..."]],
    ["hasDotgit", ["100644 .git::$INDEX_ALLOCATION"]],
    ["hasDotgit", ["100644 git~1"]],
    ["hasDotgit", ["100644 GIT~1. "]],
    ["hasDotgit", ["100644 a\\.git"]],
    ["hasDotgit", ["100644 .git\\config"]],
    ["hasDotgit", ["40000 .g\xe2\x80\x8cit"]],
    ["hasDotgit", ["40000 \xef\xbb\xbf.git"]],
    ["fullPathname", ["100644 a/b"]],
    ["treeNotSorted", ["100644 b", "100644 a"]],
    ["treeNotSorted", ["40000 a", "100644 a.b"]],
    ["treeNotSorted", ["40000 a", "100644 a"]],
    ["duplicateEntries", ["100644 a", "100644 a"]],
    ["duplicateEntries", ["40000 a", "40000 a"]],
    ["duplicateEntries", ["100644 a", "40000 a"]],
    ["duplicateEntries", ["100644 a", "100644 a-b", "100644 a.c", "40000 a"]],
    ["duplicateEntries", ["100644 a", "100644 a-", "100644 a--", "100644 a-.", "40000 a-", "40000 a"]],
    ["gitmodulesSymlink", ["120000 .gitmodules"]],
    ["gitmodulesSymlink", ["120000 .GITMODULES"]],
    ["gitmodulesSymlink", ["120000 gitmod~1"]],
    ["gitmodulesSymlink", ["120000 GI7EBA~1"]],
  ])("finds %s in a tree of %j, as git does", async (expected, entries) => {
    const data = tree(format, entries);
    expect(problemOf("tree", data)).toBe(expected);
    expect(await refusedByGit("tree", data)).toBeDefined();
  });

  it("finds entries without an object, cut trees and modes of no kind", () => {
    expect(problemOf("tree", tree(format, ["100644 a"], Buffer.alloc(objectIdBytes(format))))).toBe(
      "nullSha1",
    );
    expect(problemOf("tree", tree(format, ["100644 a"]).subarray(0, -1))).toBe("badTree");
    expect(problemOf("tree", tree(format, ["10644 a"]))).toBe("badFilemode");
    expect(problemOf("tree", tree(format, ["060000 device"]))).toBe("badFilemode");
    expect(problemOf("tree", tree(format, ["7777777 a"]))).toBe("badFilemode");
  });

  it.each<[string[]]>([
    [[]],
    [["100644 a", "100755 b", "120000 c", "40000 d", "160000 e"]],
    [["100644 a", "100644 a-b", "40000 a.b", "100644 a0"]],
    [["100644 a.b", "40000 a", "100644 a0"]],
    [["100664 old", "100600 older"]],
    [["40000 .github", "100644 .gitignore", "100644 git", "100644 git~10"]],
    [["100644 \xff\xfe", "100644 \xff\xff"]],
    [["100644 .git\xe2\x82\xac"]],
  ])("accepts a tree of %j, as git does", async (entries) => {
    const data = tree(format, entries);
    expect(problemOf("tree", data)).toBeUndefined();
    expect(await refusedByGit("tree", data)).toBeUndefined();
  });

  it("tolerates modes with a leading zero, which old tools wrote", () => {
    expect(problemOf("tree", tree(format, ["040000 a"]))).toBeUndefined();
  });

  it.each<[string, string[]]>([
    ["missingAuthor", [`committer ${who}`]],
    ["missingCommitter", [`author ${who}`]],
    ["multipleAuthors", [`author ${who}`, `author ${who}`, `committer ${who}`]],
    ["badParentSha1", ["parent 12", `author ${who}`, `committer ${who}`]],
    ["missingAuthor", [`committer ${who}`, `author ${who}`]],
    ["missingEmail", ["author Ada 1 +0000", `committer ${who}`]],
    ["badName", ["author A>da <a@b> 1 +0000", `committer ${who}`]],
    ["badEmail", ["author Ada <a<b> 1 +0000", `committer ${who}`]],
    ["badEmail", ["author Ada <a", `committer ${who}`]],
    ["badDate", [`author ${who}`, "committer Ada <a@b> yesterday +0000"]],
    ["badDate", [`author ${who}`, "committer Ada <a@b> 12x +0000"]],
    ["zeroPaddedDate", [`author ${who}`, "committer Ada <a@b> 01700000000 +0000"]],
    ["badDateOverflow", [`author ${who}`, "committer Ada <a@b> 99999999999999999999 +0000"]],
    ["badTimezone", [`author ${who}`, "committer Ada <a@b> 1700000000 UTC"]],
  ])("finds %s in a commit of %j, as git does", async (expected, lines) => {
    const data = commit(format, lines);
    expect(problemOf("commit", data)).toBe(expected);
    expect(await refusedByGit("commit", data)).toBeDefined();
  });

  it("finds a missing or bad tree, NUL bytes, and headers that do not end", () => {
    const sound = commit(format, [`author ${who}`, `committer ${who}`]);
    expect(problemOf("commit", sound)).toBeUndefined();
    expect(problemOf("commit", sound.subarray(1))).toBe("missingTree");
    expect(problemOf("commit", Buffer.from(`tree 12\nauthor ${who}\ncommitter ${who}\n\n`))).toBe(
      "badTreeSha1",
    );
    const zero = Buffer.from(`tree ${zeroId(format)}\nauthor ${who}\ncommitter ${who}\n\n`);
    expect(problemOf("commit", zero)).toBe("badTreeSha1");
    expect(problemOf("commit", commit(format, [`author ${who}\0`, `committer ${who}`]))).toBe("nulInHeader");
    expect(problemOf("commit", commit(format, [`author ${who}`, `committer ${who}`], "\na\0b"))).toBe(
      "nulInCommit",
    );
    expect(problemOf("commit", Buffer.from(`tree ${some}\nauthor ${who}`))).toBe("unterminatedHeader");
    expect(problemOf("commit", Buffer.alloc(0))).toBe("unterminatedHeader");
  });

  it.each<[string[]]>([
    [[`parent ${"ab".repeat(20)}`, `author ${who}`, `committer ${who}`]],
    [[`author ${who}`, `committer ${who}`, "encoding ISO-8859-1", "gpgsig -----BEGIN", " abc", " -----END"]],
    [["author  <> 0 +0000", `committer ${who}`]],
    [[`author \xe9 <\xe9> 1 -0000`, `committer ${who}`]],
  ])("accepts a commit of %j, as git does", async (lines) => {
    const own = lines.map((line) => line.replace("ab".repeat(20), some));
    const data = commit(format, own);
    expect(problemOf("commit", data)).toBeUndefined();
    expect(await refusedByGit("commit", data)).toBeUndefined();
  });

  it.each(["<a@b> 1 +0000", "Ada<a@b> 1 +0000", "Ada <a@b>1 +0000", "Ada <a@b> 1 +051800"])(
    "tolerates the author %j, which histories of old projects hold",
    (author) => {
      const data = commit(format, [`author ${author}`, `committer ${who}`]);
      expect(problemOf("commit", data)).toBeUndefined();
    },
  );

  it.each<[string | undefined, string[]]>([
    [undefined, ["object ID", "type commit", "tag v1", `tagger ${who}`]],
    [undefined, ["object ID", "type commit", "tag v1"]],
    ["missingObject", ["type commit", "tag v1", `tagger ${who}`]],
    ["badObjectSha1", ["object 12", "type commit", "tag v1", `tagger ${who}`]],
    ["missingTypeEntry", ["object ID", "tag v1", `tagger ${who}`]],
    ["badType", ["object ID", "type thing", "tag v1", `tagger ${who}`]],
    ["missingTagEntry", ["object ID", "type commit", `tagger ${who}`]],
    ["badDate", ["object ID", "type commit", "tag v1", "tagger Ada <a@b> now +0000"]],
  ])("finds %s in a tag of %j, as git does", async (expected, lines) => {
    const own = lines.map((line) => line.replace("ID", some));
    const data = Buffer.from(`${own.join("\n")}\n\nmessage\n`);
    expect(problemOf("tag", data)).toBe(expected);
    expect((await refusedByGit("tag", data)) === undefined).toBe(expected === undefined);
  });

  it("never throws, whatever the bytes", () => {
    const random = createRandom();
    const sound: [ObjectType, Buffer][] = [
      ["commit", commit(format, [`parent ${some}`, `author ${who}`, `committer ${who}`])],
      ["tag", Buffer.from(`object ${some}\ntype commit\ntag v1\ntagger ${who}\n\nmessage\n`)],
      ["tree", tree(format, ["100644 a", "100644 a-b", "40000 b", "120000 c"])],
    ];
    const sink = { addReference: () => undefined, addGitmodules: () => undefined };
    for (let round = 0; round < 3000; round++) {
      const [type, data] = random.pick(sound);
      const bytes = Buffer.from(
        data.subarray(0, random.chance(0.3) ? random.integer(data.length) : undefined),
      );
      for (let change = random.integer(4); change > 0; change--) {
        bytes[random.integer(bytes.length)] = random.pick([0, 0x20, 0x0a, 0x3c, 0x3e, random.integer(256)]);
      }
      expect(() => checkObject(format, type, bytes, sink), `seed ${random.seed}`).not.toThrow();
    }
  });
});
