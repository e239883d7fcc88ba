import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { ingestPack } from "#core/git/ingest/ingest";
import { memoryMb } from "#tests/bench/process-usage";

/* A process that takes one pack in and prints the outcome; its index goes to a file beside the pack. */
const [path, temporaryFolder, format] = process.argv.slice(2);
if (path === undefined || temporaryFolder === undefined) throw new Error("needs a pack and a folder");
const result = await ingestPack(createReadStream(path), {
  format: format === "sha256" ? "sha256" : "sha1",
  temporaryFolder,
});
// Not `maxRSS`, in which the memory of the process that started this one counts.
const peakBytes = memoryMb(process.pid, "VmHWM") * 2 ** 20;
if (result.ok) await writeFile(`${path}.idx`, result.pack.sideFile.index.bytes);
const told = result.ok ? { ok: true, outside: result.pack.outside.count } : result;
process.stdout.write(JSON.stringify({ ...told, peakBytes }));
