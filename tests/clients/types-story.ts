import { deepEqual, equal } from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startServer } from "../support/process/server-process.ts";

/** A client of the family that was generated from its document. */
export interface GeneratedClient {
  readonly name: string;
  /** Its module, without an ending. */
  readonly module: string;
  /** Its methods that a client of ours has under another name, or not, and those that differ, each with the reason. */
  readonly elsewhere: readonly string[];
  readonly different: Readonly<Record<string, string>>;
}

/**
 * Generates a client from the Swagger 2 document of a server, and holds that what calls a method of the family's client
 * and uses its answer compiles with ours instead: every argument that theirs takes ours takes, and every answer of ours is
 * one of theirs.
 */
export async function playTypes(project: string, generator: string, client: GeneratedClient): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coldforge-clients-"));
  const server = await startServer({ project });
  try {
    const spec = await (await fetch(`${server.url}/swagger.v1.json`)).json();
    const { generateApi } = await import(pathToFileURL(generator).href);
    const options = { httpClientType: "fetch", generateUnionEnums: true, silent: true };
    await generateApi({ fileName: "ours.ts", output: folder, spec, ...options });
    const ours = methodsOf(readFileSync(join(folder, "ours.ts"), "utf8"));
    const theirs = methodsOf(readFileSync(`${client.module}.d.ts`, "utf8"));
    const shared = [...theirs].flatMap(([method, place]) => {
      const here = ours.get(method);
      return here === undefined ? [] : [{ method, theirs: place, ours: here }];
    });
    const missing = [...theirs.keys()].filter((method) => !ours.has(method));
    deepEqual(missing.sort(), [...client.elsewhere].sort(), "methods that ours lacks");
    console.log(`ok: ${shared.length} of ${theirs.size} methods are there`);
    writeFileSync(join(folder, "uses.ts"), usesOf(client.module, shared));
    const lines = await mistakesIn(project, folder);
    const found = [...new Set(lines.map((line) => shared[line - usesBegin]?.method ?? `line ${line}`))];
    deepEqual(found.sort(), Object.keys(client.different).sort(), "methods that differ");
    console.log(`ok: ${shared.length - found.length} compile`);
    equal(/"level":"error".*/.exec(server.output())?.[0], undefined);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The methods of a client's class by name, with the group that each stands in. */
function methodsOf(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let group = "";
  for (const line of source.slice(source.indexOf("class Api<")).split("\n")) {
    group = /^ {2,4}(\w+)(?: =|:) \{$/.exec(line)?.[1] ?? group;
    const method = /^ {4,8}(\w+): \(/.exec(line)?.[1];
    if (method !== undefined && group !== "") found.set(method, group);
  }
  return found;
}

interface Shared {
  readonly method: string;
  readonly theirs: string;
  readonly ours: string;
}

const usesHead = (module: string): readonly string[] => [
  `import type * as Theirs from ${JSON.stringify(module)};`,
  'import type * as Ours from "./ours";',
  // What is fetched is a Blob, which the generator called a File when it made their clients.
  "type Fetched<D> = D extends File ? Blob : D;",
  "type Data<F> = F extends (...given: never[]) => Promise<{ data: infer D }> ? Fetched<D> : never;",
  "declare const theirs: Theirs.Api<unknown>;",
  "declare const ours: Ours.Api<unknown>;",
  "declare function take<Wanted>(given: Wanted): void;",
];
const usesBegin = usesHead("").length + 1;

/** A line for each method: its arguments, and its answer. */
function usesOf(module: string, shared: readonly Shared[]): string {
  const lines = shared.map(({ method, theirs, ours }) => {
    const [theirOwn, own] = [`theirs.${theirs}.${method}`, `ours.${ours}.${method}`];
    const takes = `take<(...given: Parameters<typeof ${theirOwn}>) => unknown>(${own});`;
    return `${takes} take<Data<typeof ${theirOwn}>>(null as unknown as Data<typeof ${own}>);`;
  });
  return [...usesHead(module), ...lines].join("\n");
}

/** The lines that don't compile. */
async function mistakesIn(project: string, folder: string): Promise<readonly number[]> {
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext"];
  const words = [compiler, ...flags, "--moduleResolution", "bundler", "uses.ts"];
  const output = await promisify(execFile)(process.execPath, words, { cwd: folder, maxBuffer: 2 ** 26 }).then(
    () => "",
    (error: { readonly stdout?: string }) => error.stdout ?? "",
  );
  return [...output.matchAll(/^uses\.ts\((\d+),\d+\): error/gm)].map(([, line]) => Number(line));
}

/** The module of a package, without its ending, beside the one whose path is given. */
export const moduleBeside = (installed: string, name: string): string =>
  join(dirname(installed).replace(/node_modules\/.*$/, "node_modules"), name, "dist/index");
