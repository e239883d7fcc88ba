import { testSlowStore } from "./slow-store-suite.ts";

// The server's own keep-alives, and a front that waits less than any that is known.
testSlowStore({ store: 6_500, front: 6_000, versions: ["0", "2"] });
