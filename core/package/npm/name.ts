import { badRequest, type ForgeError } from "../../errors.ts";
import { isLikeVersion } from "./semver.ts";

const longestName = 214;
const longestTag = 128;
const whole = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/;

/** Why a package of npm may not have this name, or undefined when it may (semantics §58.3). */
export const npmNameProblem = (name: string): ForgeError | undefined =>
  name.length <= longestName && whole.test(name)
    ? undefined
    : badRequest(
        "the name is not valid: small letters, digits and - . _ are, behind a @scope/ or without one",
      );

/** The name without its scope. */
export const unscoped = (name: string): string => name.slice(name.indexOf("/") + 1);

/** The scope of a name, without its @; undefined when it has none. */
export const scopeOf = (name: string): string | undefined => /^@([^/]+)\//.exec(name)?.[1];

/** The name of the file of a version. */
export const tarballName = (name: string, version: string): string =>
  `${unscoped(name)}-${version}.tgz`.toLowerCase();

/** Why a tag may not be called so: clients would take it for a version. */
export const npmTagProblem = (tag: string): ForgeError | undefined =>
  tag !== "" &&
  tag.length <= longestTag &&
  !/[\s\p{Cc}/]/u.test(tag) &&
  tag !== "__proto__" &&
  !isLikeVersion(tag)
    ? undefined
    : badRequest("a tag is a word that is no version number");
