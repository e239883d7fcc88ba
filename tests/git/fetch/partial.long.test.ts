import { filters, testPartialClones } from "./partial-suite.ts";

testPartialClones([
  { format: "sha1", version: "2", filters },
  { format: "sha256", version: "2", filters: ["blob:limit=2k", "tree:1", "object:type=tag"] },
  { format: "sha256", version: "0", filters: filters.filter((_, at) => at % 2 === 1) },
  { format: "sha1", version: "1", filters: ["blob:none", "tree:0"] },
]);
