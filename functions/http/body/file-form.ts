import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { badRequest, ForgeError, isForgeError, tooLarge } from "#core/errors";
import { nulProblem } from "./json-body.ts";

/** A file of a form, as it comes. */
export interface FormFile {
  /** The client's name for it, without folders. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A form that was read: its texts, and the result for its file; undefined when there was none. */
export interface ReadForm<Kept> {
  readonly fields: Readonly<Record<string, string>>;
  readonly kept: Kept | undefined;
}

const formLimits = { fields: 20, fieldNameSize: 100, fieldSize: 4096, files: 10, parts: 30, headerPairs: 20 };

/**
 * Reads a form as it comes: hands the file of this field to `keep`, and keeps its texts. BadRequest for bytes that are
 * no form, and for several such files.
 */
export async function readForm<Kept>(
  contentType: string,
  bytes: AsyncIterable<Uint8Array>,
  field: string,
  keep: (file: FormFile) => Promise<Kept>,
): Promise<ReadForm<Kept>> {
  const source = Readable.from(bytes);
  const parser = parserOf(contentType);
  const fields = collectFields(parser);
  let keeping: Promise<Kept> | undefined;
  let keptFile: Readable | undefined;
  parser.on("file", (name, file, fileName) => {
    // The parser reports why the form broke off.
    file.on("error", () => undefined);
    if (name !== field) {
      file.resume();
      return;
    }
    if (keeping !== undefined) {
      file.resume();
      parser.destroy(badRequest(`the form has several files named ${field}: send one at a time`));
      return;
    }
    keptFile = file;
    keeping = keep({ name: fileName, bytes: file });
    // The parser would wait for a reader of the rest of the file.
    keeping.catch((error: unknown) => parser.destroy(error as Error));
  });
  try {
    await pipeline(source, parser);
  } catch (error) {
    // The kept part of a broken form fails with it; a refusal of `keep` comes first. The parser ends the file only when
    // it saw the form break off, not when the source failed.
    keptFile?.destroy(error as Error);
    const [kept] = await Promise.allSettled([keeping]);
    if (kept?.status === "rejected" && isForgeError(kept.reason)) throw kept.reason;
    throw isForgeError(error) || !isBroken(error) ? error : brokenForm(error);
  }
  const kept = await keeping;
  requireTexts(fields);
  return { fields, kept };
}

/** Collects the texts while the parser runs; ends it at its limits, where it would leave out the rest in silence. */
function collectFields(parser: BusboyInstance): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const limit of ["fieldsLimit", "filesLimit", "partsLimit"] as const) {
    parser.on(limit, () => parser.destroy(tooManyParts()));
  }
  parser.on("field", (name, value, _isNameCut, isCut) => {
    fields[name] ??= value;
    if (isCut) parser.destroy(tooManyParts());
  });
  return fields;
}

function requireTexts(fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    const problem = nulProblem(name, value);
    if (problem !== undefined) throw problem;
  }
}

function parserOf(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { "content-type": contentType }, limits: formLimits });
  } catch (error) {
    throw brokenForm(error);
  }
}

const tooManyParts = () =>
  tooLarge(
    `a form has at most ${formLimits.fields} texts of ${formLimits.fieldSize} bytes each, ${formLimits.files} files, ${formLimits.parts} parts in all`,
  );

/** The parser's errors for forms that are cut off or malformed; errors of S3 and the table differ. */
const isBroken = (error: unknown): boolean =>
  /multipart|form|header|boundary|premature/i.test((error as Error).message);

const brokenForm = (error: unknown) =>
  new ForgeError("bad-request", `the form can't be read: ${(error as Error).message}`);
