import { describeFigures } from "./figures.ts";

describeFigures(100_000, {
  open: 17,
  "closed issues": 17,
  all: 17,
  "open with two labels": 588,
  milestone: 588,
  "assignee, by update": 588,
  "author, by comments": 588,
  "updated since, by deadline": 94,
});
