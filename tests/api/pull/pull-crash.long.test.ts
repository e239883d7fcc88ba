import { testPullCrashes } from "./pull-crash-suite.ts";

testPullCrashes(3);
