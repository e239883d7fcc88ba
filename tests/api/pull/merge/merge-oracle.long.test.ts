import { testMergesOfPulls } from "./merge-oracle-suite.ts";

testMergesOfPulls("sha1", 14);
testMergesOfPulls("sha256", 6);
