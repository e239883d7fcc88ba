import { describeReadAll } from "./read-all-suite.ts";

describeReadAll(["sha256"]);
