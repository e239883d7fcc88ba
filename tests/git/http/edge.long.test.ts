import { testPartialClones } from "#tests/git/fetch/partial-suite";
import { testShallowFetches } from "#tests/git/fetch/shallow-suite";
import { testRareRoundTrips, testRoundTrips } from "./round-trips.ts";

// All that git does, through the edge front to the app as a Lambda function.
const isBehindEdge = true;

for (const test of [testRoundTrips, testRareRoundTrips]) {
  test(
    [
      { format: "sha1", version: "2" },
      { format: "sha256", version: "0" },
    ],
    { isBehindEdge },
  );
}
testShallowFetches(
  [
    { format: "sha1", version: "0" },
    { format: "sha256", version: "2" },
  ],
  { isBehindEdge },
);
testPartialClones(
  [
    { format: "sha1", version: "2", filters: ["blob:none", "blob:limit=2k", "tree:3"] },
    { format: "sha256", version: "2", filters: ["tree:0", "object:type=tree", "combine:blob:none+tree:2"] },
  ],
  { isBehindEdge },
);
