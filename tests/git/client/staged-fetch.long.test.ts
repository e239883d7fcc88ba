import { describeStagedFetches, describeUnsteadyRemotes } from "./staged-fetch-suite.ts";

describeStagedFetches(1_200, [
  ["sha1", 2],
  ["sha256", 2],
  ["sha1", 0],
]);

describeUnsteadyRemotes();
