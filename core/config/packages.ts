import { setting } from "./setting.ts";
import { integer } from "./shapes.ts";

const orAny = integer(-1, Number.MAX_SAFE_INTEGER);

/** Packages, and what the installation lets an owner have of them; site administrators may have more. */
export const packageSettings = {
  packageMaxSizeMib: setting("PACKAGE_MAX_SIZE", integer(1, 5_000), 2048, "MiB of one file, at most"),
  limitSizeGeneric: setting("LIMIT_SIZE_GENERIC", orAny, -1, "bytes of a generic package's file; -1: any"),
  limitSizeNpm: setting("LIMIT_SIZE_NPM", orAny, -1, "bytes of an npm package; -1: any"),
  limitTotalOwnerCount: setting(
    "LIMIT_TOTAL_OWNER_COUNT",
    orAny,
    -1,
    "versions of packages that an owner may have; -1: any number",
  ),
  limitTotalOwnerSize: setting(
    "LIMIT_TOTAL_OWNER_SIZE",
    orAny,
    -1,
    "bytes of packages that an owner may have; -1: any number",
  ),
} as const;
