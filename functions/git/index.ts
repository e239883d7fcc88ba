import { existsSync } from "node:fs";
import { streamHandle } from "hono/aws-lambda";
import { readConfig } from "#core/config";
import { createForge } from "#core/forge";
import { useIngestWorkers } from "#core/git/ingest/ingest-pool";
import { growHeapEvenly } from "#core/heap-growth";
import { besideGit } from "../files/beside-git.ts";
import { behindOrigin } from "../origin.ts";
import { linkedSettings } from "../resources.ts";
import { createGitApp } from "./app.ts";
import { createGitResolver } from "./resolve.ts";

growHeapEvenly();

const forge = createForge(readConfig({ ...process.env, ...linkedSettings() }));

// Beside the bundle as it is deployed; without it packs are taken in on this thread.
const ingestWorker = new URL("./ingest-worker.mjs", import.meta.url);
if (existsSync(ingestWorker)) await useIngestWorkers({ script: ingestWorker, threads: 1 });

const git = createGitApp({ forge, resolve: createGitResolver(forge) });

/** The git function: streams its answers from a function URL behind the edge. */
export const handler = streamHandle(behindOrigin(besideGit(git, forge), forge.config));
