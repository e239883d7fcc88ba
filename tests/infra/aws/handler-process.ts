import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { build, type Metafile } from "esbuild";
import type { DeployedFunction } from "./deployed-shape.ts";
import type { Invocation, InvocationEnd } from "./lambda-runtime.ts";
import { projectFolder } from "./platform.ts";

const banner = `import { createRequire as topLevelCreateRequire } from 'module';
const require = topLevelCreateRequire(import.meta.url);
import { fileURLToPath as topLevelFileUrlToPath, URL as topLevelURL } from "url"
const __filename = topLevelFileUrlToPath(import.meta.url)
const __dirname = topLevelFileUrlToPath(new topLevelURL(".", import.meta.url))`;

/** What is loaded before the first event is answered. */
export interface ColdStart {
  readonly bytes: number;
  readonly packages: ReadonlySet<string>;
}

/** Bundles of functions, in a folder far from any `node_modules`. */
export interface HandlerBundles {
  readonly folder: string;
  /** What stands for Lambda's own runtime. */
  readonly runtime: string;
  /** What a handler's cold start loads: its own module and what is imported at once, and the packages in them. */
  coldStart(handler: string): ColdStart;
  /** Paths of all modules of a handler, its own first, those too that are loaded when they are used. */
  modules(handler: string): readonly string[];
  /** The module of a handler such as `functions/api/index.handler`, and the name that it exports. */
  find(handler: string): { path: string; exportedName: string };
  remove(): Promise<void>;
}

const runtimeSource = `import { serveInvocations } from "#tests/infra/aws/lambda-runtime";
await serveInvocations(process.argv.slice(2));`;

function splitHandler(handler: string): { file: string; exportedName: string } {
  const [file = "", exportedName = ""] = handler.split(".");
  return { file, exportedName };
}

type Bundled = Pick<DeployedFunction, "handler" | "isSplit" | "installed">;

/**
 * The modules of all functions in the folder, by the options that SST gives esbuild. SST bundles each function alone;
 * here they share modules, which spares most of the time, and a function still loads no module of others.
 */
async function bundleAll(functions: readonly Bundled[], folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: functions.map(({ handler }) => join(projectFolder, `${splitHandler(handler).file}.ts`)),
    outbase: projectFolder,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: functions.every(({ isSplit }) => isSplit),
    platform: "node",
    format: "esm",
    target: "esnext",
    minify: true,
    keepNames: true,
    mainFields: ["module", "main"],
    external: ["sharp", "pg-native", ...new Set(functions.flatMap(({ installed }) => installed))],
    banner: { js: banner },
    metafile: true,
    logLevel: "error",
  });
  return metafile;
}

/** The modules that are loaded with the first, by imports of these kinds. */
function loadedWith({ outputs }: Metafile, first: string, kinds: readonly string[]): Set<string> {
  const loaded = new Set([first]);
  for (const path of loaded) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kinds.includes(kind) && outputs[imported] !== undefined) loaded.add(imported);
    }
  }
  return loaded;
}

/** Bundles each handler as SST does. Throws when a file is missing. */
export async function bundleHandlers(functions: readonly Bundled[]): Promise<HandlerBundles> {
  const folder = await mkdtemp(join(tmpdir(), "coldforge-handlers-"));
  const runtime = join(folder, "lambda-runtime.mjs");
  const [metafile] = await Promise.all([
    bundleAll(functions, folder),
    build({
      stdin: { contents: runtimeSource, resolveDir: projectFolder, loader: "ts" },
      outfile: runtime,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    }),
  ]);
  const firstOf = (handler: string) => `${splitHandler(handler).file}.mjs`;
  const loadedAtStart = (handler: string) => loadedWith(metafile, firstOf(handler), ["import-statement"]);
  return {
    folder,
    runtime,
    coldStart(handler) {
      const modules = [...loadedAtStart(handler)].map((path) => metafile.outputs[path]);
      const sources = modules.flatMap((one) => Object.entries(one?.inputs ?? {}));
      const packages = sources.flatMap(([path, { bytesInOutput }]) =>
        bytesInOutput === 0 ? [] : (/.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
      );
      const bytes = modules.reduce((sum, one) => sum + (one?.bytes ?? Number.NaN), 0);
      return { bytes, packages: new Set(packages) };
    },
    modules(handler) {
      const reached = loadedWith(metafile, firstOf(handler), ["import-statement", "dynamic-import"]);
      return [...reached].map((path) => join(folder, path));
    },
    find(handler) {
      const { file, exportedName } = splitHandler(handler);
      return { path: join(folder, `${file}.mjs`), exportedName };
    },
    remove: () => rm(folder, { recursive: true }),
  };
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
  bundles: HandlerBundles,
  handler: string,
  environment: Record<string, string>,
  { isStreaming = false } = {},
): Promise<HandlerProcess> {
  const { path, exportedName } = bundles.find(handler);
  const child = fork(bundles.runtime, [path, exportedName], {
    cwd: dirname(path),
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
