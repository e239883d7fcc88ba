import { badRequest, type ForgeError } from "../errors.ts";
import { longestPackageText } from "./package.ts";

const isShort = (text: string): boolean => text.length <= longestPackageText;
const packageName = /^(?:[A-Za-z0-9]|[A-Za-z0-9_\-+.]{2,})$/;
const fileName = /^[A-Za-z0-9 _\-+=:;.()[\]{}~!@#$%^&]+$/;

/** Why there can be no such file of a generic package, or undefined when there can (semantics §57). */
export function genericProblem(given: {
  readonly name: string;
  readonly version: string;
  readonly file?: string;
}): ForgeError | undefined {
  const { name, version, file } = given;
  if (!isShort(name) || !packageName.test(name) || name === "..") {
    return badRequest("the package's name is not valid: letters, digits and _ - + . are");
  }
  const isVersion = version !== "" && version.trim() === version && !/\p{Cc}/u.test(version);
  if (!isShort(version) || !isVersion) {
    return badRequest("the version is not valid: a text without white space around it is");
  }
  if (file === undefined) return undefined;
  const isName = fileName.test(file) && file.trim() === file && file !== "." && file !== "..";
  return isShort(file) && isName ? undefined : badRequest("the file's name is not valid");
}
