// `npm run bench [part …]`: bundles the bench and runs it. Figures are medians; the peer runs interleaved in the same run.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, project, refuse } from "../../infra/local/bundle.mjs";

const built = await bundle({
  bench: "tests/bench/bench.ts",
  "http-backend": "tests/bench/git/http-backend.ts",
  "stand-in": "tests/bench/stand-in.ts",
});
const { partNames, runBench } = await import(pathToFileURL(join(built, "bench.mjs")).href);
const parts = process.argv.slice(2);
const usage = `npm run bench -- [part …]   measures the named parts, all without a name: ${partNames.join(", ")}`;
if (parts.some((part) => part === "--help" || part === "-h")) {
  console.log(usage);
  process.exit(0);
}
const unknown = parts.find((part) => !partNames.includes(part));
if (unknown !== undefined) refuse(`the bench has no part ${unknown}: choose from ${partNames.join(", ")}.`);
const [peerScript, standInScript] = [join(built, "http-backend.mjs"), join(built, "stand-in.mjs")];
await runBench({ project, peerScript, standInScript, parts });
