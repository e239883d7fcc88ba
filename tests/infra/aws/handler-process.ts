import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import type { DeployedFunction } from "./deployed-shape.ts";
import type { Invocation, InvocationEnd } from "./lambda-runtime.ts";
import { projectFolder } from "./platform.ts";

const banner = `import { createRequire as topLevelCreateRequire } from 'module';
const require = topLevelCreateRequire(import.meta.url);
import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"
const __filename = topLevelFileUrlToPath(import.meta.url)
const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))`;

/** A function's code as SST bundles it, far from any `node_modules`. */
export interface HandlerBundle {
  /** The module that holds the handler. */
  readonly path: string;
  readonly exportedName: string;
  /** What stands for Lambda's own runtime. */
  readonly runtime: string;
  remove(): Promise<void>;
}

/**
 * Bundles a handler with the options that SST gives esbuild; `addFiles` is what its own hook adds to the folder.
 * Throws when the file is missing or does not bundle.
 */
export async function bundleHandler(
  handler: string,
  addFiles?: (folder: string) => Promise<void>,
): Promise<HandlerBundle> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-handler-"));
  const [file = "", exportedName = ""] = handler.split(".");
  const path = join(folder, `${file}.mjs`);
  await build({
    entryPoints: [join(projectFolder, `${file}.ts`)],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "esnext",
    keepNames: true,
    mainFields: ["module", "main"],
    external: ["sharp", "pg-native"],
    banner: { js: banner },
    logLevel: "error",
  });
  await addFiles?.(folder);
  const runtime = await bundleRuntime(folder);
  return { path, exportedName, runtime, remove: () => rm(folder, { recursive: true }) };
}

const runtimeSource = `import { serveInvocations } from "#tests/infra/aws/lambda-runtime";
await serveInvocations(process.argv.slice(2));`;

async function bundleRuntime(folder: string): Promise<string> {
  const outfile = join(folder, "lambda-runtime.mjs");
  await build({
    stdin: { contents: runtimeSource, resolveDir: projectFolder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return outfile;
}

/** One warm instance of a function. */
export interface HandlerProcess {
  /** Calls the handler; rejects when it throws, or when the process ends first, with what it had printed. */
  invoke(event: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** The environment that Lambda and SST give a function: its own links and variables, and nothing of this process. */
export function handlerEnvironment(
  { name, environment, links }: DeployedFunction,
  stage: string,
): Record<string, string> {
  const linked = Object.entries(links).map(([resource, properties]) => [
    `SST_RESOURCE_${resource}`,
    JSON.stringify(properties),
  ]);
  return {
    ...environment,
    ...Object.fromEntries(linked),
    SST_RESOURCE_App: JSON.stringify({ name: "coldforge", stage }),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
  };
}

/** Starts a bundled handler in a process of its own with just this environment. */
export async function startHandler(
  bundle: HandlerBundle,
  environment: Record<string, string>,
  { isStreaming = false } = {},
): Promise<HandlerProcess> {
  const child = fork(bundle.runtime, [bundle.path, bundle.exportedName], {
    cwd: dirname(bundle.path),
    env: environment,
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const printed = child.stderr === null ? Promise.resolve("") : text(child.stderr);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const gone = ended.then(async (): Promise<never> => {
    throw new Error(`the function ended: ${await printed}`);
  });
  gone.catch(() => undefined);
  const waiting = new Map<number, (end: InvocationEnd) => void>();
  child.on("message", (end: InvocationEnd) => waiting.get(end.id)?.(end));
  const answer = (id: number) =>
    Promise.race([new Promise<InvocationEnd>((resolve) => waiting.set(id, resolve)), gone]);
  await answer(0);
  let calls = 0;
  return {
    async invoke(event) {
      const invocation: Invocation = { id: ++calls, event, isStreaming };
      const answered = answer(invocation.id);
      child.send(invocation);
      const { result, error } = await answered;
      if (error !== undefined) throw new Error(error);
      return result;
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
