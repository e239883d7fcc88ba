import { testShallowFetches } from "./shallow-suite.ts";

testShallowFetches([
  { format: "sha256", version: "0" },
  { format: "sha256", version: "2" },
  { format: "sha1", version: "0" },
  { format: "sha1", version: "1" },
]);
