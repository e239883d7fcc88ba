import { testSlowStore } from "./slow-store-suite.ts";

testSlowStore({ store: 1_200, front: 900, keepAlive: 100, versions: ["2"] });
