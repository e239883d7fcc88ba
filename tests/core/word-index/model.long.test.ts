import { modelSuite } from "./model-suite.ts";

modelSuite(3_000);
