import { testMergesOfPulls } from "./merge-oracle-suite.ts";

testMergesOfPulls("sha1", 8);
testMergesOfPulls("sha256", 4);
