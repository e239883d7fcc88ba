import { testSelection } from "./selection-suite.ts";

for (let number = 0; number < 60; number++)
  testSelection(number % 2 === 0 ? "sha1" : "sha256", { commits: 45 });
