import { describeRevisions } from "./revision-suite.ts";

describeRevisions(["sha1"]);
