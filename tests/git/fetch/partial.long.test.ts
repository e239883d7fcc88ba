import { filters, testPartialClones } from "./partial-suite.ts";

// Without those of partial.test.ts; partial.soak.test.ts plays all by each version.
testPartialClones([
  { format: "sha1", version: "2", filters: filters.slice(1) },
  { format: "sha256", version: "2", filters: ["blob:limit=2k", "tree:1", "object:type=tag"] },
  { format: "sha256", version: "0", filters },
  { format: "sha1", version: "1", filters: ["blob:none", "tree:0"] },
]);
