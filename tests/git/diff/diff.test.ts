import { testDiffs } from "./diff-suite.ts";
import { testLineDiffs } from "./line-diff-suite.ts";
import { testMailPatches } from "./mail-patch-suite.ts";

testDiffs("sha1", { commits: 12 });
testDiffs("sha256", { commits: 6 });
testLineDiffs();
testLineDiffs({ rounds: 3, large: true });
testMailPatches("sha1");
