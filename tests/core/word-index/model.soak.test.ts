import { modelSuite } from "./model-suite.ts";

modelSuite(1_000);
