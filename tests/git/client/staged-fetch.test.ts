import { describeStagedFetches } from "./staged-fetch-suite.ts";

describeStagedFetches(300, [["sha1", 2]]);
