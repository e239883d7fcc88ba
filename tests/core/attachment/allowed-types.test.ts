import { describe, expect, it } from "vitest";
import { attachmentProblem } from "#core/attachment/allowed-types";
import { readConfig } from "#core/config";

const typesOf = (text: string) => readConfig({ ATTACHMENT_ALLOWED_TYPES: text }).attachmentAllowedTypes;
const isTaken = (types: string, name: string, type: string) =>
  attachmentProblem({ attachmentAllowedTypes: typesOf(types) }, name, type) === undefined;

describe("ATTACHMENT_ALLOWED_TYPES", () => {
  it.each([
    [".txt,.TAR.gz", "notes.TXT", "text/plain; charset=utf-8", true],
    [".txt,.TAR.gz", "a.tar.gz", "application/octet-stream", true],
    [".txt", "txt", "text/plain; charset=utf-8", false],
    [".png", "evil.png.exe", "image/png", false],
    ["image/png", "any.exe", "image/png", true],
    ["image/png", "lies.png", "text/plain; charset=utf-8", false],
    ["image/*|application/pdf", "a.bin", "image/webp", true],
    ["image/*|application/pdf", "a.bin", "application/pdf", true],
    ["image/*|application/pdf", "a.bin", "application/octet-stream", false],
    ["*/*", "run.exe", "application/octet-stream", true],
  ])("%s: %s of type %s is taken: %s", (types, name, type, expected) => {
    expect(isTaken(types, name, type)).toBe(expected);
  });

  it("names what is no ending and no media type", () => {
    for (const text of ["txt", "image", "a/b/c", ".t*"]) expect(() => typesOf(text)).toThrow(/not /);
  });
});
