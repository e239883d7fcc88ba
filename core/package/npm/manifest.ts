import { z } from "zod";
import { defined } from "../../defined.ts";
import { badRequest } from "../../errors.ts";

/** The parts of a version's manifest that are read. Others, and those of another form, are ignored. */
const texts = z.record(z.string(), z.string());
const optional = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined);
const person = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const repositoryShape = z.union([
  z.string().transform((url) => ({ type: "git", url })),
  z.object({ type: z.string().default("git"), url: z.string() }),
]);
const license = z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]);

const kept = z.object({
  description: optional(z.string()),
  author: optional(person),
  license: optional(license),
  homepage: optional(z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url))),
  keywords: optional(z.array(z.string())),
  repository: optional(repositoryShape),
  dependencies: optional(texts),
  devDependencies: optional(texts),
  peerDependencies: optional(texts),
  optionalDependencies: optional(texts),
  peerDependenciesMeta: optional(z.record(z.string(), z.object({ optional: z.boolean().optional() }))),
  bundleDependencies: optional(z.union([z.array(z.string()), z.boolean()])),
  bin: optional(z.union([z.string(), texts])),
  engines: optional(texts),
  os: optional(z.array(z.string())),
  cpu: optional(z.array(z.string())),
  hasInstallScript: optional(z.boolean()),
});

/** A version's manifest as it is kept (semantics §58.3). */
export type NpmManifest = z.infer<typeof kept>;

/** The file of a version, as its metadata has it: name, SHA-1 in hexadecimal digits, `sha512-…`. */
export interface NpmDist {
  readonly file: string;
  readonly shasum: string;
  readonly integrity: string;
}

/** The metadata that a version keeps. */
export interface NpmMetadata {
  readonly manifest: NpmManifest;
  readonly dist: NpmDist;
}

const mostBytes = 64 * 1024;
const longestReadme = 65_536;
const mostReadmeBytes = 192 * 1024;

/**
 * The metadata of a version as JSON. It has what the family keeps, and what an installation depends on: engines, systems,
 * optional peers, whether there are scripts. 400 when it is longer than 64 KiB.
 */
export function npmMetadata(given: Readonly<Record<string, unknown>>, dist: NpmDist): string {
  const { bundledDependencies, scripts, ...rest } = given as {
    bundledDependencies?: unknown;
    scripts?: unknown;
  };
  const parsed = kept.parse({ bundleDependencies: bundledDependencies, ...rest });
  const hasScript = parsed.hasInstallScript ?? hasInstallScript(scripts);
  const manifest: NpmManifest = defined({ ...parsed, hasInstallScript: hasScript });
  const json = JSON.stringify({ manifest, dist } satisfies NpmMetadata);
  if (Buffer.byteLength(json) > mostBytes) {
    throw badRequest(`what is kept of a version's manifest has at most ${mostBytes} bytes`);
  }
  return json;
}

const hasInstallScript = (scripts: unknown): true | undefined =>
  typeof scripts === "object" &&
  scripts !== null &&
  ["preinstall", "install", "postinstall"].some((name) => Object.hasOwn(scripts, name))
    ? true
    : undefined;

/** Reads what `npmMetadata` wrote. */
export const readNpmMetadata = (metadata = "{}"): NpmMetadata => JSON.parse(metadata) as NpmMetadata;

/** A readme as it is kept: at most its beginning. */
export function keptReadme(text: unknown): string {
  if (typeof text !== "string") return "";
  let end = Math.min(text.length, longestReadme);
  while (Buffer.byteLength(text.slice(0, end)) > mostReadmeBytes) end -= 1_000;
  return Buffer.from(text.slice(0, end)).toString(); // half a character becomes U+FFFD
}
