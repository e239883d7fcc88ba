import { testAgainstGit } from "./oracle-suite.ts";

testAgainstGit(4, 8);
