import { entryPath } from "../../git/format/tree.ts";

/** The asked path without empty, `.` and `..` segments; `..` removes the segment before it. Empty for the root. */
export function cleanPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

/** Whether a segment is `.git`, in any case: no such path can exist. */
export const isInsideGit = (path: string): boolean =>
  path.split("/").some((segment) => segment.toLowerCase() === ".git");

/** A clean path as git stores it: raw bytes, latin1. */
export const rawPath = (path: string): string => entryPath(path);

/** The folder of a path, empty for the root, and the last segment. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf("/");
  return { folder: at < 0 ? "" : path.slice(0, at), name: path.slice(at + 1) };
}
