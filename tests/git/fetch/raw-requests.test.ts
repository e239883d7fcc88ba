import { testRawRequests } from "./raw-requests-suite.ts";

testRawRequests(["sha1"]);
