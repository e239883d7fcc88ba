import { describe, it } from "vitest";
import { changeAtOnce, changeOneByOne } from "./changes.ts";

describe("teams, members and collaborators", () => {
  it("are as in a plain model after 40 random changes, a third of them killed half-way", () =>
    changeOneByOne(40));
  it("agree at both ends after 8 rounds of 4 random changes at once", () => changeAtOnce(8));
});
