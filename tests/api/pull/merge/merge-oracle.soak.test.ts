import { testMergesOfPulls } from "./merge-oracle-suite.ts";

testMergesOfPulls("sha1", 200, true);
testMergesOfPulls("sha256", 100, true);
