import { testDiffs } from "./diff-suite.ts";
import { testLineDiffs } from "./line-diff-suite.ts";

for (let history = 0; history < 8; history++)
  testDiffs(history % 3 === 2 ? "sha256" : "sha1", { commits: 35 });
for (let run = 0; run < 5; run++) {
  testLineDiffs({ rounds: 150 });
  testLineDiffs({ rounds: 20, large: true });
}
