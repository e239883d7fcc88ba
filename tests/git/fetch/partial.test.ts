import { testPartialClones } from "./partial-suite.ts";

testPartialClones([{ format: "sha1", version: "2", filters: ["blob:none"] }]);
