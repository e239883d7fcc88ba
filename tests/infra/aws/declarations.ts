import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Declaration, type Declarations, fakeGlobals, resolved } from "./fake-sst.ts";
import { projectFolder } from "./platform.ts";

/** Runs `sst.config.ts` for a stage with recording stand-ins for SST's globals: half a second, nothing to install. */
export async function recordDeclarations(
  stage: string,
  known: Record<string, string>,
  settings: Readonly<Record<string, string>>,
): Promise<Declarations> {
  const declarations: Declarations = { declared: [], links: new Map(), known };
  const outfile = join(projectFolder, ".build", "tests", `sst.config.${randomUUID()}.mjs`);
  await build({
    entryPoints: [join(projectFolder, "sst.config.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    external: ["esbuild"],
    define: { "process.env": "deployersEnvironment" },
    banner: {
      js: `const deployersEnvironment = { ...globalThis.process.env, ...${JSON.stringify(settings)} };
        const { $app, $config, $interpolate, $output, $util, sst, aws } = globalThis.fakeSst["${stage}"];`,
    },
    logLevel: "error",
  });
  const stages = globalThis as { fakeSst?: Record<string, unknown> };
  stages.fakeSst = { ...stages.fakeSst, [stage]: fakeGlobals(stage, declarations) };
  try {
    const config = (await import(pathToFileURL(outfile).href)) as { default: { run(): Promise<unknown> } };
    await config.default.run();
  } finally {
    await rm(outfile, { force: true });
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
