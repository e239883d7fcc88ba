import { declaredShape } from "./declared-shape.ts";
import { describeDeployedShape, testSecrets } from "./shape-promises.ts";

describeDeployedShape("sst.config.ts as declared", (stage) => declaredShape(stage, testSecrets));
