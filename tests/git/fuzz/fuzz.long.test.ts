import { testParsers } from "./fuzz-suite.ts";

testParsers(1);
