import { filters, testPartialClones } from "./partial-suite.ts";

testPartialClones(
  (["0", "1", "2"] as const).flatMap((version) =>
    (["sha1", "sha256"] as const).map((format) => ({ format, version, filters })),
  ),
);
