import { defined } from "../../defined.ts";
import type { ObjectFormat, ObjectId } from "../format/object-format.ts";
import { packObjects } from "../history/select/pack-objects.ts";
import { encodeRefName } from "../refs/ref-name.ts";
import type { GitRepository } from "../repository.ts";

/** A ref as a bundle names it. */
export interface BundledRef {
  readonly name: string;
  readonly id: ObjectId;
}

export interface BundleRequest {
  /** At least one, all in the repository; `HEAD` may be among them. */
  readonly refs: readonly BundledRef[];
  /** Commits that the receiver of the bundle must have; the pack leaves out what they lead to. */
  readonly prerequisites?: readonly ObjectId[];
  readonly signal?: AbortSignal;
}

/**
 * A bundle (gitformat-bundle) of some refs and everything that they lead to, in pieces: `git clone` and `git fetch`
 * take it instead of a URL. Version 2 for sha1, 3 for sha256.
 */
export async function* writeBundle(
  repository: GitRepository,
  { refs, prerequisites = [], signal }: BundleRequest,
): AsyncGenerator<Uint8Array> {
  if (refs.length === 0) throw new RangeError("a bundle of no refs");
  yield bundleHeader(repository.format, refs, prerequisites);
  yield* packObjects({
    repository,
    wants: [...new Set(refs.map(({ id }) => id))],
    common: new Set(prerequisites),
    isThin: prerequisites.length > 0,
    usesOfsDelta: true,
    ...defined({ signal }),
  });
}

function bundleHeader(
  format: ObjectFormat,
  refs: readonly BundledRef[],
  prerequisites: readonly ObjectId[],
): Buffer {
  const start = format === "sha1" ? "# v2 git bundle\n" : `# v3 git bundle\n@object-format=${format}\n`;
  const lines = refs.flatMap(({ name, id }) => [
    Buffer.from(`${id} `),
    encodeRefName(name),
    Buffer.from("\n"),
  ]);
  return Buffer.concat([
    Buffer.from(start + prerequisites.map((id) => `-${id}\n`).join("")),
    ...lines,
    Buffer.from("\n"),
  ]);
}
