import { describe, expect, it } from "vitest";
import { settingsFor } from "#core/code/editor-config";
import type { Forge } from "#core/forge";
import { formatCommit } from "#core/git/archive/commit-format";
import { subjectHeader } from "#core/git/diff/mail/mail-header";
import { formatIdentity, parseIdentity } from "#core/git/format/identity";
import { readSignature } from "#core/git/format/signature";
import { servedType } from "#core/media-type";
import { storeAvatar } from "#core/owner/avatar";

/**
 * Texts over which a pattern once took a time that grew with a power of their length: the process stood still for
 * minutes, or for ever. A test that does not end has failed.
 */
const blanks = " ".repeat(200_000);

describe("texts of users are read in time that grows with their length alone", () => {
  it("signatures of blanks, or without an end", () => {
    const begin = "-----BEGIN SSH SIGNATURE-----";
    for (const text of [`${begin}${blanks}!`, `${begin}\n${blanks}`, `${begin}${"A ".repeat(100_000)}`]) {
      expect(readSignature(text)).toEqual({ kind: "unreadable" });
    }
  });

  it("files of many comments are served as text, and a picture behind comments as one", () => {
    expect(servedType(Buffer.from("<!---->".repeat(2_000)))).toBe("text/plain; charset=utf-8");
    expect(servedType(Buffer.from(`<!-- a\n--> <!---->\n${"<!-- b -->".repeat(100)}<svg>`))).toBe(
      "image/svg+xml",
    );
    expect(servedType(Buffer.from('<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x">\n<svg xmlns="y">'))).toBe(
      "image/svg+xml",
    );
    expect(servedType(Buffer.from("<!-- <svg> -->"))).toBe("text/plain; charset=utf-8");
  });

  it("names and subjects full of blanks", () => {
    const identity = parseIdentity(`.a${blanks}b, <c@d> 1 +0000`);
    expect(formatIdentity(identity)).toBe(`a${blanks}b <c@d> 1 +0000`);
    expect(subjectHeader("", `a${blanks}`)).toBe("Subject: a");
  });

  it("the name of a file made of a subject of dots and hyphens", () => {
    const message = `${".-".repeat(100_000)}a${"-.".repeat(100)}\n`;
    const context = { target: { message } } as Parameters<typeof formatCommit>[1];
    expect(formatCommit("%f", context)).toBe(`${".-".repeat(100_000)}a`);
  });

  it("settings of editors, pictures in base64", async () => {
    const lines = ["[*]", `a${blanks}`, `${blanks}b = ${blanks}c`, "Indent_Style =\tTAB ", "# x = y", "= z"];
    expect(await settingsFor(lines.join("\n"), "file")).toEqual({ indent_style: "tab", indent_size: "tab" });
    await expect(storeAvatar({} as Forge, `${blanks}!`)).rejects.toMatchObject({ code: "bad-request" });
  });
});
