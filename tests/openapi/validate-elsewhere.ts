import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import SwaggerParser from "@apidevtools/swagger-parser";
import type { OpenAPI } from "openapi-types";

/** Rejects with what is wrong when one of two other validators finds an interface document invalid. */
export async function validateElsewhere(document: object): Promise<void> {
  await SwaggerParser.validate(structuredClone(document) as OpenAPI.Document);
  const folder = await mkdtemp(join(tmpdir(), "coldforge-document-"));
  try {
    await writeFile(join(folder, "document.json"), JSON.stringify(document));
    const program = new URL("../../node_modules/@redocly/cli/bin/cli.js", import.meta.url).pathname;
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const words = [program, "lint", "document.json", "--extends=spec", "--format=stylish"];
    await promisify(execFile)(process.execPath, words, { cwd: folder, env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
