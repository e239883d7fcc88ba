import { testMerges } from "./merge-suite.ts";

testMerges("sha1", { merges: 25 });
testMerges("sha256", { merges: 10 });
