import { describeStagedFetches, describeUnsteadyRemotes } from "./staged-fetch-suite.ts";

describeStagedFetches(6_000, [
  ["sha1", 2],
  ["sha256", 2],
  ["sha1", 0],
]);

describeUnsteadyRemotes();
