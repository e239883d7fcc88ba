import type { Config } from "../../config.ts";
import { unprocessable } from "../../errors.ts";
import type { ObjectId } from "../../git/object/object-format.ts";
import { canonicalMode, directoryMode, gitlinkMode, parseTree, symlinkMode } from "../../git/object/tree.ts";
import type { PackSet } from "../../git/pack/pack-set.ts";
import { MatchingTooLong, MatchTime } from "../../pattern/match-time.ts";
import type { FirstFile } from "./first-commit.ts";
import { readPathPatterns } from "./path-patterns.ts";
import { expand, expandPath, templateVariables, type VariableSource } from "./template-variables.ts";

/** The most that one request copies; more would take too long, and too much memory. */
const most = { files: 10_000, bytes: 64 * 2 ** 20 };

/** Every file below a tree, by raw path. 422 when there are too many, or when they are too large together. */
export async function readTemplateFiles(packs: PackSet, tree: ObjectId): Promise<FirstFile[]> {
  const files: FirstFile[] = [];
  let bytes = 0;
  const folders: { readonly id: ObjectId; readonly path: string }[] = [{ id: tree, path: "" }];
  for (let at = 0; at < folders.length; at += 1) {
    const { id, path } = folders[at] as { id: ObjectId; path: string };
    for (const entry of parseTree(packs.format, (await packs.read(id)).data)) {
      const [mode, below] = [canonicalMode(entry.mode), `${path}${entry.path}`];
      if (mode === directoryMode) folders.push({ id: entry.id, path: `${below}/` });
      else if (mode === gitlinkMode) files.push({ path: below, mode, content: { submodule: entry.id } });
      else {
        const { data } = await packs.read(entry.id);
        bytes += data.length;
        files.push({ path: below, mode, content: data });
      }
      if (files.length + folders.length > most.files || bytes > most.bytes) throw tooLarge();
    }
  }
  return files;
}

const tooLarge = () =>
  unprocessable(
    `the template is too large to be copied: at most ${most.files} files with ${most.bytes / 2 ** 20} MiB; fork it instead`,
  );

const listPaths = [".forgejo/template", ".gitea/template"];
const longestExpanded = 2 ** 20;

/**
 * The files with variables expanded, in texts up to 1 MiB and in paths, when one of the lists of patterns names them;
 * the lists themselves are dropped (semantics §41.1).
 */
export async function expandTemplate(
  config: Pick<Config, "rootUrl">,
  files: readonly FirstFile[],
  template: VariableSource,
  made: VariableSource,
  at: Date,
): Promise<FirstFile[]> {
  const lists = files.filter(({ path, content }) => listPaths.includes(path) && !("submodule" in content));
  if (lists.length === 0) return [...files];
  const listed = await listedPaths(files, lists.map(({ content }) => String(content)).join("\n"));
  const values = templateVariables(config, template, made, at);
  const expanded = files
    .filter((file) => !lists.includes(file))
    .map((file): FirstFile => {
      const { path, mode, content } = file;
      const text = Buffer.from(path, "latin1").toString("utf8");
      if ("submodule" in content || mode === symlinkMode || !listed.has(path)) return file;
      const newPath = Buffer.from(expandPath(text, values)).toString("latin1");
      const isText = content.length <= longestExpanded && !content.includes(0);
      return {
        path: newPath,
        mode,
        content: isText ? Buffer.from(expand(content.toString("latin1"), latin1(values)), "latin1") : content,
      };
    });
  return withoutClashes(expanded, files);
}

/** The paths that a list of patterns names. 422 when it takes too long to tell: users write them. */
async function listedPaths(files: readonly FirstFile[], list: string): Promise<ReadonlySet<string>> {
  const [patterns, time] = [readPathPatterns(list), new MatchTime()];
  const listed = new Set<string>();
  try {
    for (const { path } of files) {
      if (await patterns.matches(Buffer.from(path, "latin1").toString("utf8"), time)) listed.add(path);
    }
  } catch (error) {
    if (error instanceof MatchingTooLong) throw unprocessable("the patterns of the template take too long");
    throw error;
  }
  return listed;
}

/** Contents are handled byte by byte, whatever their encoding: inserted values are UTF-8. */
const latin1 = (values: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...values].map(([name, value]) => [name, Buffer.from(value).toString("latin1")]));

/** Two paths may become one, or one a folder of the other: then all keep their former names. */
function withoutClashes(expanded: readonly FirstFile[], files: readonly FirstFile[]): FirstFile[] {
  const paths = new Set(expanded.map(({ path }) => path));
  const isClash = (path: string) =>
    path.split("/").some((_name, depth, names) => depth > 0 && paths.has(names.slice(0, depth).join("/")));
  if (paths.size === expanded.length && ![...paths].some(isClash)) return [...expanded];
  const kept = files.filter(({ path }) => !listPaths.includes(path));
  return expanded.map((file, place) => ({ ...file, path: kept[place]?.path ?? file.path }));
}
