import { describe } from "vitest";
import { testAccessMatrix } from "./access-matrix.ts";

describe("access matrix with every kind of caller", () => {
  testAccessMatrix();
});
