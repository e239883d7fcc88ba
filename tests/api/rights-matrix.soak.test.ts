import { endpoints } from "#tests/support/endpoints";
import { describeRights } from "./rights-matrix.ts";

describeRights(endpoints);
