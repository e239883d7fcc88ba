import { describe, it } from "vitest";
import { changeAtOnce, changeOneByOne } from "./changes.ts";

describe("teams, members and collaborators", () => {
  it.each(Array.from({ length: 6 }, (_, at) => at))(
    "%i: are as in a plain model after 300 random changes",
    () => changeOneByOne(300),
  );
  it.each(Array.from({ length: 4 }, (_, at) => at))(
    "%i: agree at both ends after 60 rounds of changes at once",
    () => changeAtOnce(60),
  );
});
