import { existsSync } from "node:fs";
import { streamHandle } from "hono/aws-lambda";
import { growHeapEvenly } from "#core/capacity/heap-growth";
import { useThreads } from "#core/compute/compute";
import { readConfig } from "#core/config";
import { createForge } from "#core/forge";
import { besideGit } from "../files/beside-git.ts";
import { behindOrigin } from "../http/origin.ts";
import { linkedSettings } from "../resources.ts";
import { createGitApp } from "./app.ts";
import { createGitResolver } from "./resolve.ts";

growHeapEvenly();

const forge = createForge(readConfig({ ...process.env, ...linkedSettings() }));

// Beside the bundle when deployed. An execution serves one request: one thread is enough.
const script = new URL("./compute-thread.mjs", import.meta.url);
if (existsSync(script)) await useThreads({ script, threads: 1 });

const git = createGitApp({ forge, resolve: createGitResolver(forge) });

/** The git function: streams its answers from a function URL behind the edge. */
export const handler = streamHandle(behindOrigin(besideGit(git, forge), forge.config));
