import { describeFigures } from "./figures.ts";

describeFigures(1_000, {
  open: 8.5,
  "closed issues": 8.5,
  all: 8.5,
  "open with two labels": 8.5,
  milestone: 8.5,
  "assignee, by update": 8.5,
  "author, by comments": 8.5,
  "updated since, by deadline": 8.5,
});
