// `npm run test:clients [-- name …]`: installs clients of the API from npm, each at one version, and plays a story with
// each against the service as `npm start` runs it. Its results: docs/api-clients.md.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, project, refuse } from "../../infra/local/bundle.mjs";

const built = await bundle({ clients: "tests/clients/clients.ts" });
const { clients, playClient } = await import(pathToFileURL(join(built, "clients.mjs")).href);
const names = Object.keys(clients);
const words = process.argv.slice(2);
if (words.some((word) => word === "--help" || word === "-h")) {
  console.log(
    `npm run test:clients -- [client …]   plays with these clients, all without a name: ${names.join(", ")}`,
  );
  process.exit(0);
}
const unknown = words.find((word) => !names.includes(word));
if (unknown !== undefined) refuse(`test:clients knows ${names.join(" and ")}, not ${unknown}.`);
let failures = 0;
for (const name of words.length > 0 ? words : names) failures += (await playClient(project, name)) ? 0 : 1;
process.exit(failures === 0 ? 0 : 1);
