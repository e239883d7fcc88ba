import { streamHandle } from "hono/aws-lambda";
import { growHeapEvenly } from "#core/capacity/heap-growth";
import { readConfig } from "#core/config";
import { createForge } from "#core/forge";
import { computeBeside } from "../compute-beside.ts";
import { besideGit } from "../files/beside-git.ts";
import { behindOrigin } from "../http/origin.ts";
import { linkedSettings } from "../resources.ts";
import { createGitApp } from "./app.ts";
import { createGitResolver } from "./resolve.ts";

growHeapEvenly();

const forge = createForge(readConfig({ ...process.env, ...linkedSettings() }));

await computeBeside(import.meta.url);

const git = createGitApp({ forge, resolve: createGitResolver(forge) });

/** The git function: streams its answers from a function URL behind the edge. */
export const handler = streamHandle(behindOrigin(besideGit(git, forge), forge.config));
