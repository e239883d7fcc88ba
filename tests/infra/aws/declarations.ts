import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { type Declaration, type Declarations, fakeGlobals, resolved } from "./fake-sst.ts";
import { projectFolder } from "./platform.ts";

/** Loads a module as Node does: what is imported, Vite would transform once more. */
const load = createRequire(import.meta.url);

let bundled: Promise<string> | undefined;

/** `sst.config.ts` and what it imports, as one module that reads SST's globals and the environment from its beginning. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(projectFolder, "sst.config.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    external: ["esbuild"],
    define: { "process.env": "deployersEnvironment" },
    logLevel: "error",
  });
  return outputFiles.map(({ text }) => text).join("");
}

/** Runs `sst.config.ts` for a stage with recording stand-ins for SST's globals; it is bundled once for all runs. */
export async function recordDeclarations(
  stage: string,
  known: Record<string, string>,
  settings: Readonly<Record<string, string>>,
): Promise<Declarations> {
  bundled ??= bundle();
  const declarations: Declarations = { declared: [], links: new Map(), known };
  const run = randomUUID();
  const folder = join(projectFolder, ".build", "tests");
  const file = join(folder, `sst.config.${run}.mjs`);
  const beginning = `const deployersEnvironment = { ...globalThis.process.env, ...${JSON.stringify(settings)} };
    const { $app, $config, $interpolate, $output, $util, sst, aws } = globalThis.fakeSst["${run}"];\n`;
  await mkdir(folder, { recursive: true });
  await writeFile(file, beginning + (await bundled));
  const runs = globalThis as { fakeSst?: Record<string, unknown> };
  runs.fakeSst = { ...runs.fakeSst, [run]: fakeGlobals(stage, declarations) };
  try {
    const config = load(file) as { default: { run(): Promise<unknown> } };
    await config.default.run();
  } finally {
    await rm(file, { force: true });
  }
  return declarations;
}

/** The resource that `${Table.arn}` and the like refer to. */
export const nameIn = (reference: unknown) => /^\$\{(\w+)/.exec(String(reference))?.[1] ?? String(reference);
const secondsPer: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** Seconds of `2 minutes` and the like. */
export function seconds(duration: string): number {
  const [amount, unit = ""] = duration.split(" ");
  return Number(amount) * (secondsPer[unit.replace(/s$/, "")] ?? Number.NaN);
}

/** Megabytes of `10 GB` and the like. */
export function megabytes(size: string): number {
  const [amount, unit] = size.split(" ");
  return Number(amount) * (unit === "GB" ? 1024 : 1);
}

/** Finds declarations by type; `args` come with every Output in them resolved. */
export function finder({ declared }: Declarations) {
  const all = (type: string) => declared.filter((one) => one.type === type);
  const args = <T>(declaration: Declaration) => resolved(declaration.args) as T;
  const one = (type: string): Declaration => {
    const [first, ...others] = all(type);
    if (first === undefined || others.length > 0)
      throw new Error(`${others.length + 1} declarations of ${type}`);
    return first;
  };
  return { all, one, args };
}
export type Find = ReturnType<typeof finder>;
