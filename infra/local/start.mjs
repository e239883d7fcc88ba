// The start command: bundles the product (Node 20 runs no TypeScript) and runs it.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, programs, refuse } from "./bundle.mjs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`it needs Node 20.19 or later; this is ${process.versions.node}.`);
}

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
const { run } = await import(pathToFileURL(join(await bundle(programs), "main.mjs")).href);
await run(process.argv.slice(2));
