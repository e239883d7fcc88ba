import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { processIdentity } from "./running-process.ts";
import { StartError } from "./start-error.ts";

/** The folder that everything is kept in, held by this process until `release`. */
export interface DataFolder {
  /** Absolute. */
  path: string;
  /** For files that need not outlive the process; emptied at each start. */
  temporaryFolder: string;
  /** The error as a StartError when it says that a file below the folder can't be used; else as it is. */
  explain(error: unknown): unknown;
  /** Gives the folder up. May be called twice. */
  release(): void;
}

/** The process that holds a data folder, as its lock tells. */
export interface Holder {
  pid: number;
  identity: string;
  since: string;
}

const causes: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "it is a file, not a folder",
  EISDIR: "it is a folder, not a file",
};

function notWritable(path: string, error: unknown, what = "the data folder"): StartError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new StartError(
    `Can't write to ${what} ${path}: ${causes[code] ?? message}. ` +
      "Make it writable for this user, or set DATA_DIR to another folder.",
    { cause: error },
  );
}

function readHolder(lockPath: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lockPath, "utf8")) as Holder;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof SyntaxError) return { pid: 0, identity: "", since: "" };
    throw error;
  }
}

const isAlive = (holder: Holder) => holder.pid > 0 && processIdentity(holder.pid) === holder.identity;

/**
 * Removes a dead holder's lock. Renaming first makes sure that only one of several starters takes it away, and that a
 * lock which a faster one has just put there is put back.
 */
function removeStale(lockPath: string): void {
  const aside = `${lockPath}.${randomUUID()}`;
  try {
    renameSync(lockPath, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const holder = readHolder(aside);
  if (holder && isAlive(holder)) linkSync(aside, lockPath);
  rmSync(aside);
}

function takeLock(folder: string, lockPath: string): Holder {
  const identity = processIdentity(process.pid) ?? "";
  const own: Holder = { pid: process.pid, identity, since: new Date().toISOString() };
  const draft = `${lockPath}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(own), { flag: "wx", flush: true, mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        linkSync(draft, lockPath); // whole and at once: nobody ever reads half a lock
        return own;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = readHolder(lockPath);
      if (holder && isAlive(holder)) throw inUse(folder, holder);
      if (holder) removeStale(lockPath);
    }
    throw new StartError(
      `Can't take the lock ${lockPath}: several processes are starting at once. Try again.`,
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The living process that holds the folder, or undefined. */
export function findHolder(path: string): Holder | undefined {
  const holder = readHolder(join(resolve(path), "lock"));
  return holder && isAlive(holder) ? holder : undefined;
}

const inUse = (folder: string, holder: Holder) =>
  new StartError(
    `The data folder ${folder} is in use by process ${holder.pid} since ${holder.since}. ` +
      "Stop that process first, or set DATA_DIR to another folder.",
  );

/**
 * Makes the folder and its missing parents. Folder by folder, because Node's recursive `mkdir` never ends when the
 * system lets nothing be made although the parent exists (`/proc`, `/sys`, automounted homes).
 */
function makeFolder(folder: string): void {
  const above = dirname(folder);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Creates the folder (mode 0700) when it is missing, checks that it can be written and that no other process uses it,
 * and empties its temporary files. A lock left by a dead process is taken over. Throws StartError.
 */
export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  const lockPath = join(folder, "lock");
  const temporaryFolder = join(folder, "tmp");
  let own: Holder;
  try {
    makeFolder(folder);
    own = takeLock(folder, lockPath);
    rmSync(temporaryFolder, { recursive: true, force: true });
    mkdirSync(temporaryFolder, { mode: 0o700 });
  } catch (error) {
    throw error instanceof StartError ? error : notWritable(folder, error);
  }
  return {
    path: folder,
    temporaryFolder,
    explain(error) {
      const { path: file, code } = error as NodeJS.ErrnoException;
      const isBelow = file !== undefined && code !== undefined && resolve(file).startsWith(folder);
      return isBelow && !(error instanceof StartError)
        ? notWritable(file, error, "what is in the data folder:")
        : error;
    },
    release() {
      const holder = readHolder(lockPath);
      if (holder?.pid === own.pid && holder.since === own.since) rmSync(lockPath, { force: true });
    },
  };
}
