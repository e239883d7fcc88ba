import { testMergesOfPulls } from "./merge-oracle-suite.ts";

testMergesOfPulls("sha1", 200);
testMergesOfPulls("sha256", 100);
