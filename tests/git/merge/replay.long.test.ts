import { describeReplays } from "./replay-suite.ts";

describeReplays({ replayed: 8, styles: 4 });
