import { modelSuite } from "./model-suite.ts";

modelSuite(40);
