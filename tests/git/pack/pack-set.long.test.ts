import { describePackSets } from "./pack-set-suite.ts";

describePackSets(["sha256"]);
