import { describeFigures } from "./figures.ts";

describeFigures(100_000, {
  open: 17,
  "closed issues": 17,
  all: 17,
  "open with two labels": 541,
  milestone: 541,
  "assignee, by update": 541,
  "author, by comments": 541,
  "updated since, by deadline": 94,
});
