// `npm run bench [part …]`: bundles the bench and runs it. Parts: start, requests, git. Figures are medians; the peer
// runs interleaved in the same run.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, project } from "../../infra/local/bundle.mjs";

const built = await bundle({ bench: "tests/bench/bench.ts", "http-backend": "tests/bench/http-backend.ts" });
const { runBench } = await import(pathToFileURL(join(built, "bench.mjs")).href);
await runBench({ project, peerScript: join(built, "http-backend.mjs"), parts: process.argv.slice(2) });
