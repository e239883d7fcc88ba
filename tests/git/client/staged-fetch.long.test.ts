import { describeSlices, describeStagedFetches, describeUnsteadyRemotes } from "./staged-fetch-suite.ts";

describeStagedFetches(2_500, [
  ["sha1", 2],
  ["sha256", 2],
  ["sha1", 0],
]);

describeSlices(2_500);
describeUnsteadyRemotes();
