import { testPartialClones } from "#tests/git/fetch/partial-suite";
import { testShallowFetches } from "#tests/git/fetch/shallow-suite";
import { testRoundTrips } from "./round-trips.ts";

// All that git does, through the edge front to the app as a Lambda function. It knows neither formats nor versions of
// the protocol: each suite has another, and edge-features.long.test.ts all versions.
const isBehindEdge = true;

testRoundTrips([{ format: "sha256", version: "2" }], { isBehindEdge });
testShallowFetches([{ format: "sha1", version: "0" }], { isBehindEdge });
testPartialClones(
  [{ format: "sha1", version: "2", filters: ["blob:limit=2k", "tree:0", "combine:blob:none+tree:2"] }],
  { isBehindEdge },
);
