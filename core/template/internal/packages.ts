import { createRequire } from "node:module";
import { dirname } from "node:path";

/** Loads from packages that lie beside the program, as they are; only requests for a template read them. */
const load = createRequire(import.meta.url);

/** A JSON file of a package. */
export const readPackageFile = <T>(file: string): T => load(file) as T;

/** The folder of a package. */
export const packageFolder = (name: string): string => dirname(load.resolve(`${name}/package.json`));
