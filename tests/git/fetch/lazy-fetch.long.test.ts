import { testLazyFetches } from "./lazy-fetch-suite.ts";

testLazyFetches(["sha256"]);
