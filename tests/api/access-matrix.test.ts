import { describe } from "vitest";
import { testAccessMatrix } from "./access-matrix.ts";

describe("access matrix", () => {
  testAccessMatrix(["anonymous", "outsider", "scopeless token", "reading token", "owner"]);
});
