import { listTree } from "../../code/list-tree.ts";
import type { Code } from "../../code/open.ts";
import type { Forge } from "../../forge.ts";
import type { ObjectId } from "../../git/format/object-format.ts";
import { directoryMode, gitlinkMode, symlinkMode } from "../../git/format/tree.ts";
import { findEntry } from "../../git/history/tree-entry.ts";
import { mostWorkflowBytes, readWorkflow } from "./read-task.ts";
import type { WorkflowReading } from "./workflow.ts";

/** The first of these that is there counts alone, with all below it. */
const workflowFolders = [".forgejo/workflows", ".gitea/workflows", ".github/workflows"] as const;

/** The most files of a folder that are looked at, and entries, so that one is found among others. */
export const mostFiles = 100;
const mostEntries = 2_000;
/** Files together; those past it can't be read. */
const mostBytesTogether = 2 * 1024 * 1024;

/** A file in the folder of workflows. */
export interface WorkflowFile {
  /** From the folder on: the name under which the workflow is known. */
  readonly name: string;
  readonly path: string;
  readonly blobId: ObjectId;
  readonly text: string;
  readonly reading: WorkflowReading;
}

/** A file's place, before it is read. */
interface ListedFile {
  readonly name: string;
  readonly path: string;
  readonly blobId: ObjectId;
  readonly sizeBytes: number;
}

/** The workflows at a commit (semantics §11.1, §64.1): a file that can't be read says why, and its neighbors stay. */
export async function findWorkflows(
  forge: Pick<Forge, "compute">,
  code: Code,
  commitId: ObjectId,
): Promise<WorkflowFile[]> {
  const read: WorkflowFile[] = [];
  let left = mostBytesTogether;
  for (const file of await listWorkflowFiles(code, commitId)) {
    const isTooLarge = file.sizeBytes > Math.min(left, mostWorkflowBytes);
    left -= isTooLarge ? 0 : file.sizeBytes;
    read.push(isTooLarge ? tooLarge(file) : await readFile(forge, code, file));
  }
  return read;
}

/** One workflow at a commit by its name; undefined when there is none. */
export async function findWorkflow(
  forge: Pick<Forge, "compute">,
  code: Code,
  commitId: ObjectId,
  name: string,
): Promise<WorkflowFile | undefined> {
  const file = (await listWorkflowFiles(code, commitId)).find(
    (one) => one.name === name || one.path === name,
  );
  if (file === undefined) return undefined;
  return file.sizeBytes > mostWorkflowBytes ? tooLarge(file) : readFile(forge, code, file);
}

/** The files of workflows at a commit, by name. */
async function listWorkflowFiles(code: Code, commitId: ObjectId): Promise<ListedFile[]> {
  const { tree } = await code.history.links(commitId);
  await code.history.pace();
  for (const folder of workflowFolders) {
    const found = await findEntry(code.history, tree, folder);
    if (found?.mode !== directoryMode) continue;
    const range = { isRecursive: true, skip: 0, limit: mostEntries };
    const { entries } = await listTree(code.history, found.id, range);
    return entries
      .filter(({ path, mode }) => isFile(mode) && /\.ya?ml$/.test(path))
      .slice(0, mostFiles)
      .map(({ path, id, size }) => ({ name: path, path: `${folder}/${path}`, blobId: id, sizeBytes: size }));
  }
  return [];
}

const isFile = (mode: number): boolean => ![directoryMode, gitlinkMode, symlinkMode].includes(mode);

const tooLarge = ({ name, path, blobId, sizeBytes }: ListedFile): WorkflowFile => ({
  ...{ name, path, blobId, text: "" },
  reading: {
    problem:
      sizeBytes > mostWorkflowBytes
        ? `it is larger than ${mostWorkflowBytes} bytes`
        : `the workflows are larger than ${mostBytesTogether} bytes together`,
  },
});

async function readFile(
  { compute }: Pick<Forge, "compute">,
  { history }: Code,
  file: ListedFile,
): Promise<WorkflowFile> {
  const { name, path, blobId } = file;
  const { data } = await history.object(blobId);
  const text = data.toString("utf8");
  // Bytes that are no UTF-8 became three bytes each.
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > mostWorkflowBytes) return tooLarge({ ...file, sizeBytes });
  return { name, path, blobId, text, reading: await readWorkflow(compute, text) };
}
