import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes changes in a folder (created, renamed or removed entries) survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return; // folders can't be opened there; the file system journals them
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Creates a folder (mode 0700) and its missing parents so that they survive a power cut. Folder by folder, because
 * Node's recursive `mkdir` calls a full disk a missing folder.
 */
export async function makeDurableFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await makeDurableFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  await syncFolder(dirname(folder));
}

/** Writes a small file (mode 0600), whole or not at all, so that it survives a power cut. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Whether an error says that the disk (or the user's share of it) is full. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}
