import { testShallowFetches } from "./shallow-suite.ts";

testShallowFetches([{ format: "sha1", version: "2" }]);
