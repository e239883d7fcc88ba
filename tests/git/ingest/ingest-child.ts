import { createReadStream } from "node:fs";
import { ingestPack } from "#core/git/ingest/ingest";
import { memoryMb } from "#tests/bench/process-usage";

/* A process that takes one pack in and prints the outcome: arguments are the pack and a temporary folder. */
const [path, temporaryFolder] = process.argv.slice(2);
if (path === undefined || temporaryFolder === undefined) throw new Error("needs a pack and a folder");
const result = await ingestPack(createReadStream(path), { format: "sha1", temporaryFolder });
// Not `maxRSS`, in which the memory of the process that started this one counts.
const peakBytes = memoryMb(process.pid, "VmHWM") * 2 ** 20;
process.stdout.write(JSON.stringify(result.ok ? { ok: true, peakBytes } : { ...result, peakBytes }));
