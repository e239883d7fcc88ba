import { describeIngest } from "./ingest-suite.ts";

describeIngest(["sha1"]);
