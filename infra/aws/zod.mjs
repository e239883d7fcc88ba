/**
 * What `zod` exports, but for its messages in fifty languages, its compiler and what reads and writes JSON Schema: a
 * third of a megabyte that bundles hold otherwise, because a package hands zod's whole namespace on. A test holds that
 * nothing else is missing.
 */
import * as z from "./zod.mjs";

export * from "../../node_modules/zod/v4/classic/checks.js";
export * as coerce from "../../node_modules/zod/v4/classic/coerce.js";
export * from "../../node_modules/zod/v4/classic/compat.js";
export { deepPartial } from "../../node_modules/zod/v4/classic/deep-partial.js";
export * from "../../node_modules/zod/v4/classic/errors.js";
export { input, output } from "../../node_modules/zod/v4/classic/in-out.js";
export * as iso from "../../node_modules/zod/v4/classic/iso.js";
export {
  ZodISODate,
  ZodISODateTime,
  ZodISODuration,
  ZodISOTime,
} from "../../node_modules/zod/v4/classic/iso.js";
export * from "../../node_modules/zod/v4/classic/parse.js";
export * from "../../node_modules/zod/v4/classic/schemas.js";
export * as core from "./zod-core.mjs";
export {
  $brand,
  $input,
  $output,
  clone,
  config,
  flattenError,
  formatError,
  getDiscriminatedOption,
  globalRegistry,
  memoizer,
  NEVER,
  prettifyError,
  regexes,
  registry,
  TimePrecision,
  toZod,
  treeifyError,
  util,
} from "./zod-core.mjs";
export { z, z as default };
