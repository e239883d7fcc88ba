import { describe, expect, it } from "vitest";
import { selectObjects } from "#core/git/history/select/select-objects";
import { createRandom } from "#tests/support/random";
import { makeWorld, testSelection } from "./selection-suite.ts";

testSelection("sha1");
testSelection("sha256");

describe("selectObjects", () => {
  it("says which object is missing from a damaged repository", async () => {
    const { packs } = await makeWorld("sha1", createRandom(7));
    const absent = "ab".repeat(20);
    await expect(selectObjects({ packs, wants: [absent], haves: [] })).rejects.toThrow(
      `object ${absent} is missing`,
    );
  });
});
