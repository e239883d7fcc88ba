import { describe, expect, it } from "vitest";
import { parseFilter } from "#core/git/history/select/object-filter";

const infinity = Number.POSITIVE_INFINITY;
const facts = (spec: string) => {
  const filter = parseFilter(spec);
  if ("problem" in filter) throw new Error(filter.problem);
  return [filter.blobBytes, filter.treeDepth, [...filter.types].sort().join()];
};
const all = "blob,commit,tag,tree";

describe("parseFilter", () => {
  it.each([
    ["blob:none", [0, infinity, all]],
    ["blob:limit=0", [0, infinity, all]],
    ["blob:limit=5", [5, infinity, all]],
    ["blob:limit=5K", [5_120, infinity, all]],
    ["blob:limit=2m", [2 * 2 ** 20, infinity, all]],
    ["blob:limit=3g", [3 * 2 ** 30, infinity, all]],
    ["tree:0", [infinity, 0, all]],
    ["tree:7", [infinity, 7, all]],
    ["object:type=tag", [infinity, infinity, "tag"]],
    ["combine:tree:3+blob:limit%3D1k", [1_024, 3, all]],
    ["combine:tree:3+combine%3Ablob%3Alimit%253D1k%2Btree%3A4", [1_024, 3, all]],
    ["combine:object%3Atype%3Dblob+object:type=tree", [infinity, infinity, ""]],
  ])("reads %s", (spec, expected) => {
    expect(facts(spec)).toEqual(expected);
  });

  it.each([
    ["", "invalid filter-spec"],
    ["blob:some", "invalid filter-spec"],
    ["blob:limit=", "invalid filter-spec"],
    ["blob:limit=-1", "invalid filter-spec"],
    ["blob:limit=1t", "invalid filter-spec"],
    ["tree:one", "invalid filter-spec"],
    ["object:type=file", "not a valid object type"],
    ["combine:", "invalid filter-spec"],
    ["combine:tree:1+", "invalid filter-spec"],
    ["combine:%zz", "invalid filter-spec"],
    ["sparse:oid=main:.sparse", "not offered"],
    ["combine:blob:none+sparse:path=x", "not offered"],
    ["blob:limit=".padEnd(5_000, "1"), "too long"],
    [
      Array.from({ length: 20 }).reduce<string>((spec) => `combine:${encodeURIComponent(spec)}`, "tree:1"),
      "too",
    ],
  ])("refuses %s", (spec, problem) => {
    expect(parseFilter(spec)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
