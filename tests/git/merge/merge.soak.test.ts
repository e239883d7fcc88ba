import { testMerges } from "./merge-suite.ts";

for (let run = 0; run < 6; run++) testMerges(run % 3 === 2 ? "sha256" : "sha1", { merges: 100 });
