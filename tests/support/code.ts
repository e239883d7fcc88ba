import { openCode } from "#core/code/open";
import { defined } from "#core/defined";
import type { ObjectId } from "#core/git/format/object-format";
import { entryPath, fileMode, gitlinkMode } from "#core/git/format/tree";
import { packOfNew } from "#core/git/merge/new-objects";
import { writeCommit } from "#core/git/merge/write-commit";
import { editTree } from "#core/git/merge/write-tree";
import { type PushedRefs, pushToRepository } from "#core/repository/push";
import type { Caller, TestApi } from "./api.ts";

/** A file of a test's commit: its text, or a mode with a text (of a submodule, the commit); null takes it out. */
export type TestFile = string | Buffer | { readonly mode: number; readonly text: string } | null;

/** A commit of files on top of a branch. */
export interface PushedFiles {
  readonly files: Readonly<Record<string, TestFile>>;
  readonly branch?: string;
  /** Where the branch begins, when it is not there yet. */
  readonly from?: string;
  readonly message?: string;
  readonly seconds?: number;
  readonly email?: string;
  /** More parents. */
  readonly merges?: readonly ObjectId[];
}

/** Makes a repository of the caller's; answers its id. */
export async function makeRepository(
  api: TestApi,
  as: Caller,
  name: string,
  options: object = {},
): Promise<number> {
  const { status, json } = await api.call("POST", "/user/repos", { as, body: { name, ...options } });
  if (status !== 201) throw new Error(`no repository ${name}: ${status} ${json?.message}`);
  return json.id;
}

/** Pushes a commit to a repository of the caller's; answers its id. */
export async function pushFiles(
  api: TestApi,
  as: Caller,
  name: string,
  given: PushedFiles,
): Promise<ObjectId> {
  const { branch = "main", from = "", message = "words\n", seconds = 1_700_000_000 } = given;
  const { json } = await api.call("GET", `/repos/${as.name}/${name}`, { as });
  const { repository, history } = await openCode(api.forge, json.id);
  const old = repository.refs.find(`refs/heads/${branch}`)?.id;
  const parent = old ?? repository.refs.find(`refs/heads/${from}`)?.id;
  const edits = new Map(
    Object.entries(given.files).map(([path, file]) => {
      if (file === null) return [entryPath(path), undefined] as const;
      const { mode, text } =
        typeof file === "string" || Buffer.isBuffer(file) ? { mode: fileMode, text: file } : file;
      const id = mode === gitlinkMode ? String(text) : history.add("blob", Buffer.from(text));
      return [entryPath(path), { mode, id }] as const;
    }),
  );
  const base = parent === undefined ? undefined : (await history.links(parent)).tree;
  const who = { name: "A. U. Thor", email: given.email ?? "author@example.com", seconds, timezone: "+0130" };
  const id = await writeCommit(history, {
    tree: await editTree(history, base, edits),
    parents: [...(parent === undefined ? [] : [parent]), ...(given.merges ?? [])],
    ...{ author: who, committer: who, message },
  });
  await pushRef(api, as, name, {
    ref: `refs/heads/${branch}`,
    id,
    ...defined({ old }),
    pack: await packOfNew(history, [id]),
  });
  return id;
}

/** Moves one ref of a repository of the caller's. */
export async function pushRef(
  api: TestApi,
  as: Caller,
  name: string,
  { ref, id, old, pack }: { ref: string; id?: ObjectId; old?: ObjectId; pack?: PushedRefs["pack"] },
): Promise<void> {
  const { json } = await api.call("GET", `/repos/${as.name}/${name}`, { as });
  const change = { name: ref, ...defined({ old, new: id }) };
  const place = { id: json.id, ownerId: json.owner.id };
  const refs = { changes: [change], ...defined({ pack }) };
  const outcome = await pushToRepository(api.forge, place, { user: as.user }, refs);
  if (outcome.kind === "done" && outcome.results[0]?.refusal === undefined) return;
  throw new Error(
    `push of ${ref} refused: ${JSON.stringify(outcome.kind === "done" ? outcome.results : outcome)}`,
  );
}
