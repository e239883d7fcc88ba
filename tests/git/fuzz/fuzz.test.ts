import { testParsers } from "./fuzz-suite.ts";

testParsers(0.2);
