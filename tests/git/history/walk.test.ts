import { testWalk } from "./walk-suite.ts";

testWalk("sha1");
testWalk("sha256", { rounds: 12 });
