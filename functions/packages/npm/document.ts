import { TaskEnded } from "#core/compute/task";
import { badRequest, tooLarge } from "#core/errors";
import type { Forge } from "#core/forge";
import { deprecateVersions } from "#core/package/npm/deprecate";
import { findPackage, type PackageName } from "#core/package/package";
import { parseJsonTask } from "../../http/body/parse-json-task.ts";
import { objectIn } from "./publication.ts";

/** A document that deprecates versions has all of them. */
export const mostDocumentBytes = 8 * 2 ** 20;
const mostValues = 250_000;
/** As values, JSON takes some times its bytes. */
const valueFactor = 4;

/** Parses a client's document. 400 for what is no JSON object, 413 for too many values. */
export async function parseDocument(forge: Forge, bytes: Buffer): Promise<Readonly<Record<string, unknown>>> {
  await forge.reserve(valueFactor * bytes.length);
  const tooMany = tooLarge(`a document may have at most ${mostValues} values`);
  const parsed = await forge.compute(parseJsonTask, { bytes, most: mostValues }).catch((error: unknown) => {
    throw error instanceof TaskEnded ? tooMany : error;
  });
  if ("hasTooMany" in parsed) throw tooMany;
  if ("problem" in parsed) throw badRequest(`the body is not valid JSON: ${parsed.problem}`);
  return objectIn(parsed.value);
}

/**
 * Takes what a document without a file says of versions that are there: why nobody should use them. 400 when it names a
 * version that is not there: it was to be published with its file.
 */
export async function deprecateByDocument(
  forge: Forge,
  named: PackageName,
  document: Readonly<Record<string, unknown>>,
): Promise<void> {
  const versions = Object.entries(objectIn(document.versions));
  const found = versions.length === 0 ? undefined : await findPackage(forge, named);
  if (found === undefined) throw badRequest("the document has no version with an attachment");
  const messages = versions.map(([version, manifest]): [string, string] => {
    const { deprecated } = objectIn(manifest);
    return [version, typeof deprecated === "string" ? deprecated : ""];
  });
  await deprecateVersions(forge, found, new Map(messages));
}
