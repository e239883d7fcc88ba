import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { isValidRefName, maxRefNameBytes } from "#core/git/format/check-ref-name";
import { runGit } from "#tests/git/http/real-git";
import { createRandom } from "#tests/support/random";

const isValidForGit = async (name: string): Promise<boolean> =>
  (await runGit(tmpdir(), ["check-ref-format", name])).code === 0;

describe("isValidRefName", () => {
  it.each([
    "refs/heads/main",
    "refs/heads/feature/a.b-c_d",
    "refs/heads/é",
    "refs/heads/a@b",
    "refs/heads/@",
    "refs/heads/{a}",
    "refs/heads/a.lockx",
    "refs/heads/-a",
    "main",
    "@",
    "",
    "refs/heads/",
    "/refs/heads/a",
    "refs//a",
    "refs/heads/.a",
    "refs/heads/a.",
    "refs/heads/a..b",
    "refs/heads/a.lock",
    "refs/heads/a.lock/b",
    "refs/heads/a b",
    "refs/heads/a~b",
    "refs/heads/a^b",
    "refs/heads/a:b",
    "refs/heads/a?b",
    "refs/heads/a*b",
    "refs/heads/a[b",
    "refs/heads/a\\b",
    "refs/heads/a@{b",
    "refs/heads/a\x7fb",
    "refs/heads/a\tb",
  ])("judges %j as git check-ref-format does", async (name) => {
    expect(isValidRefName(name)).toBe(await isValidForGit(name));
    expect(isValidRefName(Buffer.from(name))).toBe(isValidRefName(name));
  });

  it("judges random names as git check-ref-format does", async () => {
    const random = createRandom();
    const pieces = ["a", "/", ".", "..", ".lock", "@", "{", "refs", "é", "-", "~", " ", "\\"];
    for (let round = 0; round < 150; round++) {
      const name = Array.from({ length: 1 + random.integer(6) }, () => random.pick(pieces)).join("");
      // The command would take it for an option.
      if (name.startsWith("-")) continue;
      expect(isValidRefName(name), `${JSON.stringify(name)}, seed ${random.seed}`).toBe(
        await isValidForGit(name),
      );
    }
  });

  it("counts bytes, not characters", () => {
    const room = maxRefNameBytes - "refs/".length;
    expect(isValidRefName(`refs/${"a".repeat(room)}`)).toBe(true);
    expect(isValidRefName(`refs/${"a".repeat(room + 1)}`)).toBe(false);
    expect(isValidRefName(`refs/${"é".repeat(room / 2 + 1)}`)).toBe(false);
    expect(isValidRefName(Buffer.from("refs/a\0b"))).toBe(false);
  });
});
