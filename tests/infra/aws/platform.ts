import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { onFileFinished } from "#tests/support/suite/file-end";
import type { Recording } from "./recording.ts";

export const projectFolder = join(import.meta.dirname, "..", "..", "..");
const platformFolder = join(projectFolder, ".sst", "platform");

/** SST's tool without what it would download on its own: the npm registry is all it then needs. */
const offlineEnvironment = {
  SST_SKIP_DEPENDENCY_CHECK: "1",
  NO_BUN: "1",
  SST_TELEMETRY_DISABLED: "1",
  AWS_EC2_METADATA_DISABLED: "true",
};

/** Runs a program to its end and answers what it printed; throws with that when it fails. */
export async function run(
  program: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const child = spawn(program, args, {
    cwd: projectFolder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve)),
  ]);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}\n${output}${errors}`);
  return output;
}

async function installedVersions(): Promise<{ sst: string; aws: string } | undefined> {
  try {
    const lock = await readFile(join(projectFolder, ".sst", "provider-lock.json"), "utf8");
    const providers = JSON.parse(lock) as { name: string; version: string }[];
    const sst = (await readFile(join(platformFolder, "version"), "utf8")).trim();
    return { sst, aws: providers.find(({ name }) => name === "aws")?.version ?? "" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Puts SST's platform (its components and their types) into `.sst`, unless it is there already: 20 to 50 seconds. */
export async function ensurePlatform(): Promise<{ sst: string; aws: string }> {
  const installed = await installedVersions();
  const wanted = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8")) as {
    devDependencies: { sst: string };
  };
  if (installed?.sst === wanted.devDependencies.sst) return installed;
  await run(
    join(projectFolder, "node_modules", ".bin", "sst"),
    ["install", "--stage", "test"],
    offlineEnvironment,
  );
  const after = await installedVersions();
  if (after === undefined) throw new Error("sst install left no platform in .sst");
  return after;
}

/** SST puts the provider and component names in front of every file outside its platform. */
const injectGlobals: Plugin = {
  name: "inject-globals",
  setup({ onLoad }) {
    onLoad({ filter: /\.(js|ts)$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      if (path.includes(".sst")) return { contents, loader: "default" };
      const globals = `import * as aws from "@pulumi/aws";\nimport * as sst from "${platformFolder}/src/components";\n`;
      return { contents: globals + contents, loader: "default" };
    });
  },
};

/** What the recorder is told when it starts, as JSON in its environment. */
interface Recorded {
  readonly app: object;
  readonly cli: object;
  readonly outputFile: string;
}

const banner = `import { createRequire } from "module";
const require = createRequire(import.meta.url);
const __dirname = import.meta.dirname;
const __filename = import.meta.filename;
const recorded = JSON.parse(process.env.RECORDED);`;

function buildOptions(outputFile: string): BuildOptions {
  return {
    stdin: {
      contents: `
        import * as pulumi from "@pulumi/pulumi";
        import { run } from "${platformFolder}/src/auto/run.ts";
        import { recordStack } from "${import.meta.dirname}/stack-recorder.ts";
        import config from "./sst.config.ts";
        await recordStack(pulumi, () => run(config.run), $recorded.outputFile);`,
      resolveDir: projectFolder,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: banner },
    nodePaths: [join(platformFolder, "node_modules")],
    external: [
      "@pulumi/*",
      "@pulumiverse/*",
      "@sst-provider/*",
      "@aws-sdk/*",
      "undici",
      "esbuild",
      "archiver",
      "glob",
      "vite",
    ],
    define: {
      $app: "recorded.app",
      $cli: "recorded.cli",
      $recorded: "recorded",
      $dev: "false",
    },
    inject: [join(platformFolder, "src", "shim", "run.js")],
    plugins: [injectGlobals],
    outfile: outputFile,
    logLevel: "error",
  };
}

/** The recorder with SST's platform in one script, which every recording of a test file runs: seconds of CPU. */
let bundled: Promise<string> | undefined;

function bundleRecorder(): Promise<string> {
  if (bundled !== undefined) return bundled;
  const bundle = join(platformFolder, `recorder.${randomUUID()}.mjs`);
  onFileFinished(async () => {
    bundled = undefined;
    await rm(bundle, { force: true });
  });
  bundled = build(buildOptions(bundle)).then(() => bundle);
  return bundled;
}

/** Runs `sst.config.ts` for a stage with SST's real components and a mocked engine: no AWS account, no network. */
export async function recordRealStack(
  stage: string,
  environment: Record<string, string>,
): Promise<Recording> {
  const bundle = await bundleRecorder();
  const workFolder = await mkdtemp(join(tmpdir(), "coldforge-sst-"));
  const paths = { home: workFolder, root: projectFolder, work: workFolder, platform: platformFolder };
  const recorded: Recorded = {
    app: { name: "coldforge", stage, home: "aws", removal: "remove", protect: false, providers: {} },
    cli: { command: "deploy", dev: false, paths, state: { version: {} } },
    outputFile: join(workFolder, "recording.json"),
  };
  try {
    await run(process.execPath, ["--no-deprecation", bundle], {
      ...environment,
      RECORDED: JSON.stringify(recorded),
    });
    return JSON.parse(await readFile(recorded.outputFile, "utf8")) as Recording;
  } finally {
    await rm(workFolder, { recursive: true });
  }
}
