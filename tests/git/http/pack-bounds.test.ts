import { testPackBounds } from "./pack-bounds-suite.ts";

testPackBounds(["sha1"]);
