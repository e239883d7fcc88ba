import { testPartialClones } from "./partial-suite.ts";

testPartialClones([
  { format: "sha1", version: "2", filters: ["blob:none"] },
  { format: "sha256", version: "0", filters: ["combine:tree:3+combine:blob%3Alimit%3D1k"] },
]);
