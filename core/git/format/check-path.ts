/*
 * Names that a file system may take for `.git` or `.gitmodules`: HFS+ ignores some code points, NTFS ignores case,
 * trailing dots and spaces and alternate streams, and knows short names such as `git~1`.
 */

// Code points that HFS+ leaves out of comparisons.
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** True for `.git` in any spelling that HFS+ or NTFS reads as such; a path with backslashes is many names to NTFS. */
export function isDotGit(name: Uint8Array): boolean {
  const text = Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString("utf8");
  const parts = text.split("\\");
  return hfsName(text) === ".git" || parts.some((part) => isNtfsDotGit(part));
}

const hfsName = (text: string): string => text.replace(ignoredByHfs, "").toLowerCase();

const isNtfsDotGit = (text: string): boolean => /^(?:\.git|git~1)[. ]*(?::.*)?$/is.test(text);

/** True for `.gitmodules`, in the same spellings. */
export function isDotGitmodules(name: Uint8Array): boolean {
  const text = Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString("utf8");
  // gi7eba is how NTFS abbreviates it when git~1 to git~4 of `gitmod~n` are taken.
  return (
    hfsName(text) === ".gitmodules" ||
    /^(?:\.gitmodules|gitmod~[1-4]|gi7eba~[1-9]|gi7eb~[1-9]\d|gi7e~[1-9]\d\d|gi7~[1-9]\d{3}|gi~[1-9]\d{4}|g~[1-9]\d{5}|~[1-9]\d{6})[. ]*(?::.*)?$/is.test(
      text,
    )
  );
}
