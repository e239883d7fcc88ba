import { testAgainstGit } from "./oracle-suite.ts";

testAgainstGit(2, 8);
