import { endpoints } from "#functions/api/endpoints";
import { describeRights } from "./rights-matrix.ts";

describeRights(endpoints);
