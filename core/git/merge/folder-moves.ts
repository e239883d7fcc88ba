import type { RenameInterest } from "../diff/renames/rename-interest.ts";

/** The folder that holds a path; "" is the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Facts about folders, before a side's renames are looked for. */
export interface FolderFacts {
  /** Folders of the base that the side no longer has. */
  readonly removed: ReadonlySet<string>;
  /** Of those, folders in which the other side added a file: their destination decides the file's. */
  readonly wanted: ReadonlySet<string>;
  /** The wanted folders of both sides. */
  readonly wantedOfBoth: ReadonlySet<string>;
  /** Whether the other side changed a file of the base. */
  readonly isChanged: (path: string) => boolean;
}

/** `itself`: it must be known; `above`: only a folder that holds it must be; `none`: unknown or of no use. */
type Need = "itself" | "above" | "none";

/**
 * Counts where the files of each removed folder of a side went. As in git, a file matters when the other side changed
 * it, or when it helps to tell where a wanted folder went.
 */
export class FolderMoves implements RenameInterest {
  readonly #facts: FolderFacts;
  readonly #wanted: Set<string>;
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #guesses = new Map<string, string>();

  constructor(facts: FolderFacts) {
    this.#facts = facts;
    this.#wanted = new Set(facts.wanted);
  }

  isRelevant(path: string): boolean {
    return this.#facts.isChanged(path) || this.#isBelowWanted(path);
  }

  #isBelowWanted(path: string): boolean {
    for (let folder = folderOf(path); folder !== ""; folder = folderOf(folder)) {
      if (this.#facts.wantedOfBoth.has(folder)) return true;
    }
    return false;
  }

  #needOf(folder: string): Need {
    if (!this.#facts.removed.has(folder)) return "none";
    if (this.#wanted.has(folder)) return "itself";
    return this.#facts.wanted.has(folder) || this.#isBelowWanted(folder) ? "above" : "none";
  }

  /** `a/b/c/x` that went to `d/b/c/x` speaks for `a/b/c` to `d/b/c`, `a/b` to `d/b` and `a` to `d`. */
  note(from: string, to: string): void {
    let [old, fresh] = [from, to];
    for (let isFirst = true; old !== "" && fresh !== ""; isFirst = false) {
      if (!isFirst && nameOf(old) !== nameOf(fresh)) return;
      [old, fresh] = [folderOf(old), folderOf(fresh)];
      if (!this.#facts.removed.has(old)) return;
      const need = this.#needOf(old);
      if (isFirst || need === "itself") this.#count(old, fresh);
      if (need === "none") return;
    }
  }

  #count(old: string, fresh: string): void {
    const counts = this.#counts.get(old) ?? new Map<string, number>();
    counts.set(fresh, (counts.get(fresh) ?? 0) + 1);
    this.#counts.set(old, counts);
  }

  startGuessing(): void {
    for (const [folder, counts] of this.#counts) {
      const [[best] = [""]] = [...counts].sort(([, one], [, other]) => other - one);
      this.#guesses.set(folder, best);
    }
  }

  guess(from: string): string | undefined {
    const folder = this.#guesses.get(folderOf(from));
    return folder && `${folder}/${nameOf(from)}`;
  }

  /** A folder of which more than half went to one known place needs no more; nor do unchanged files then. */
  cull(paths: readonly string[]): ReadonlySet<string> {
    const open = new Map<string, number>();
    for (const path of paths) {
      for (let at = folderOf(path); at !== "" && this.#needOf(at) !== "none"; at = folderOf(at)) {
        open.set(at, (open.get(at) ?? 0) + 1);
      }
    }
    for (const [folder, counts] of this.#counts) {
      const [first = 0, second = 0] = [...counts.values()].sort((one, other) => other - one);
      if (first > second + (open.get(folder) ?? 0)) this.#wanted.delete(folder);
    }
    return new Set(paths.filter((path) => this.#facts.isChanged(path) || this.#helps(path)));
  }

  /** The destinations of folders: where most of their files went. `split`: several places got equally many. */
  destinations(): { readonly to: ReadonlyMap<string, string>; readonly split: readonly string[] } {
    const to = new Map<string, string>();
    const split: string[] = [];
    for (const [folder, counts] of this.#counts) {
      if (this.#needOf(folder) === "none") continue;
      const [first, second] = [...counts].sort(([, one], [, other]) => other - one);
      if (first !== undefined && first[1] === second?.[1]) split.push(folder);
      else if (first !== undefined) to.set(folder, first[0]);
    }
    return { to, split };
  }

  #helps(path: string): boolean {
    for (let at = folderOf(path); at !== ""; at = folderOf(at)) {
      const need = this.#needOf(at);
      if (need !== "above") return need === "itself";
    }
    return false;
  }
}
