import { testWalk } from "./walk-suite.ts";

for (let history = 0; history < 10; history++) {
  testWalk("sha1", { commits: 120, rounds: 100 });
  testWalk("sha256", { commits: 60, rounds: 60 });
}
