import { testAgainstGit } from "./oracle-suite.ts";

testAgainstGit(Number(process.env.HISTORIES ?? 300), 16);
