import { testRareRoundTrips, testRoundTrips } from "./round-trips.ts";

testRoundTrips([
  { format: "sha1", version: "0" },
  { format: "sha256", version: "2" },
]);
testRareRoundTrips([
  { format: "sha1", version: "0" },
  { format: "sha256", version: "0" },
  { format: "sha256", version: "2" },
]);
