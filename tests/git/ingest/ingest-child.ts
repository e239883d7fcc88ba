import { createReadStream } from "node:fs";
import { ingestPack } from "#core/git/ingest/ingest";

/* A process that takes one pack in and prints the outcome: arguments are the pack and a temporary folder. */
const [path, temporaryFolder] = process.argv.slice(2);
if (path === undefined || temporaryFolder === undefined) throw new Error("needs a pack and a folder");
const result = await ingestPack(createReadStream(path), { format: "sha1", temporaryFolder });
const peakBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify(result.ok ? { ok: true, peakBytes } : { ...result, peakBytes }));
