import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Pacer } from "#core/concurrency/pacer";
import { writeArchive } from "#core/git/archive/archive";
import { formatCommit, formattedCommit } from "#core/git/archive/commit-format";
import { asCheckedOut } from "#core/git/archive/line-endings";
import { substituteFormats } from "#core/git/archive/substitute";
import { objectIdOf } from "#core/git/format/object-format";
import type { GitObject } from "#core/git/format/object-type";
import { directoryMode, fileMode, serializeTree } from "#core/git/format/tree";
import { History } from "#core/git/history/history";
import { packsOf } from "#tests/git/memory/pack-sets";
import { turnsDuring } from "#tests/support/thread-time";

const mebibyte = 2 ** 20;
const id = "1".repeat(40);

/** The result for a content, and how often others could have run meanwhile. */
async function converted(content: Buffer, attributes: Record<string, string | boolean>) {
  let looks = 0;
  const pace = () => {
    looks += 1;
    return undefined;
  };
  return { written: await asCheckedOut(content, new Map(Object.entries(attributes)), id, pace), looks };
}

describe("asCheckedOut of the largest files", () => {
  it("adds carriage returns to eight million lines in pieces", async () => {
    const { written, looks } = await converted(Buffer.alloc(8 * mebibyte, "\n"), {
      text: "auto",
      eol: "crlf",
    });
    expect(written.equals(Buffer.alloc(16 * mebibyte, "\r\n"))).toBe(true);
    expect(looks).toBeGreaterThan(90);
  });

  it("fills two million identities in pieces, as far as they come to 16 MiB", async () => {
    const content = Buffer.alloc(8 * mebibyte, "$Id$");
    const { written, looks } = await converted(content, { ident: true });
    const filled = `$Id: ${id} $`;
    expect(written.subarray(0, 2 * filled.length).toString()).toBe(filled.repeat(2));
    expect(written.length).toBeLessThan(24 * mebibyte);
    expect(written.subarray(-8).toString()).toBe("$Id$$Id$");
    expect(looks).toBeGreaterThan(300_000);
  });
});

describe("substituteFormats of the largest files", () => {
  it("leaves formats that say megabytes, and looks up between a million small ones whether others are to run", async () => {
    const commit = `tree ${id}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\n${"word ".repeat(20_000)}\n`;
    const context = {
      history: new History(await packsOf("sha1", [{ type: "blob", data: Buffer.alloc(0) }])),
      target: formattedCommit(id, Buffer.from(commit)),
    };
    expect(formatCommit("%B".repeat(30_000), context)).toBeUndefined();
    const large = Buffer.from(`$Format:${"%B".repeat(30_000)}$ $Format:%s$`);
    const filled = await substituteFormats(large, context, () => undefined);
    expect(filled.toString()).toBe(`$Format:${"%B".repeat(30_000)}$ ${"word ".repeat(20_000).trim()}`);
    const pacer = new Pacer();
    const many = Buffer.alloc(8 * mebibyte, "$Format:%n$");
    const pace = (steps: number) => (pacer.isDue(steps) ? pacer.pause() : undefined);
    const turns = await turnsDuring(() => substituteFormats(many, context, pace));
    expect(turns).toBeGreaterThan(5);
  });
});

it("a few folders of long names with many files far down are refused before the first byte: their paths are too much", async () => {
  const file: GitObject = { type: "blob", data: Buffer.from("x") };
  const idOf = ({ type, data }: GitObject) => objectIdOf("sha1", type, data);
  const files = Array.from({ length: 10_000 }, (_, at) => ({
    mode: fileMode,
    path: `f${at}`,
    id: idOf(file),
  }));
  const objects: GitObject[] = [file, { type: "tree", data: serializeTree(files) }];
  for (let depth = 0; depth < 60; depth += 1) {
    const below = idOf(objects.at(-1) as GitObject);
    const entry = { mode: directoryMode, path: "d".repeat(250), id: below };
    objects.push({ type: "tree", data: serializeTree([entry]) });
  }
  const history = new History(await packsOf("sha1", objects));
  const tree = idOf(objects.at(-1) as GitObject);
  const zip = buffer(writeArchive(history, { tree }, { format: "zip" }));
  await expect(zip).rejects.toMatchObject({ code: "too-large", message: /paths.*clone instead/ });
});
