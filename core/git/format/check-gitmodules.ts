import { readConfig } from "./config-text.ts";
import { decodeText } from "./headers.ts";
import { type ObjectProblem, problem } from "./problem.ts";

/** Submodule lists are small; git itself refuses to read them above this. */
export const largestGitmodules = 2 ** 20;

/**
 * The parts of a `.gitmodules` file that would make clients run or overwrite something: names that leave their folder,
 * addresses and paths that read as options, update commands (git fsck, gitmodules*). From the first unreadable line on
 * everything is tolerated, because clients read no further either.
 */
export function checkGitmodules(data: Uint8Array): ObjectProblem | undefined {
  if (data.length > largestGitmodules) return problem("gitmodulesLarge", ".gitmodules is too large");
  for (const { section, subsection, key, value } of readConfig(decodeText(data))) {
    if (section !== "submodule" || subsection === undefined) continue;
    if (subsection === "" || subsection.split(/[/\\]/).includes("..")) {
      return problem("gitmodulesName", "a submodule with a dangerous name");
    }
    if (key === "url" && value !== undefined && isDangerousUrl(value)) {
      return problem("gitmodulesUrl", "a submodule with a dangerous address");
    }
    if (key === "path" && value?.startsWith("-")) {
      return problem("gitmodulesPath", "a submodule with a dangerous path");
    }
    if (key === "update" && value?.startsWith("!")) {
      return problem("gitmodulesUpdate", "a submodule with an update command");
    }
  }
  return undefined;
}

function isDangerousUrl(url: string): boolean {
  if (url.startsWith("-")) return true;
  // A line break in an address would be a second field for a credential helper.
  if (/\n|%0a/i.test(url)) return true;
  // An http address without a host.
  return /^(?:(?:https?|ftps?)::)?(?:https?|ftps?):\/\/(?:[^/?#]*@)?(?::\d*)?(?:[/?#]|$)/i.test(url);
}
