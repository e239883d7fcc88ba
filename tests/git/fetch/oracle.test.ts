import { testAgainstGit } from "./oracle-suite.ts";

testAgainstGit(6, 8);
