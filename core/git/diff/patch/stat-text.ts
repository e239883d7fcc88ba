import type { FileStat } from "./stat.ts";
import { shortstatText, shownName } from "./stat.ts";

const defaultWidth = 80;
const frame = 6;

/** `git diff --stat`, latin1: names, counts and a graph scaled to a width, and the totals. */
export function statText(stats: readonly FileStat[], width = defaultWidth): string {
  if (stats.length === 0) return "";
  const layout = layoutOf(stats, width);
  return stats.map((stat) => lineOf(stat, layout)).join("") + shortstatText(stats);
}

interface Layout {
  readonly name: number;
  readonly number: number;
  readonly graph: number;
  readonly mostChanges: number;
}

const digits = (value: number): number => String(value).length;

function layoutOf(stats: readonly FileStat[], wanted: number): Layout {
  const texts = stats.filter(({ isBinary }) => !isBinary);
  const binaries = stats.filter(({ isBinary }) => isBinary);
  const mostChanges = Math.max(0, ...texts.map(({ added, deleted }) => added + deleted));
  const binaryWidth = Math.max(0, ...binaries.map((stat) => 14 + digits(stat.added) + digits(stat.deleted)));
  const longest = Math.max(...stats.map(({ change }) => widthOf(shownName(change))));
  const number = Math.max(digits(mostChanges), binaries.length > 0 ? 3 : 0);
  const width = Math.max(wanted, 16 + frame + number);
  let graph = mostChanges + 4 > binaryWidth ? mostChanges : binaryWidth - 4;
  let name = longest;
  if (name + number + frame + graph > width) {
    const most = Math.trunc((width * 3) / 8) - number - frame;
    if (graph > most) graph = Math.max(6, most);
    if (name > width - number - frame - graph) name = width - number - frame - graph;
    else graph = width - number - frame - name;
  }
  return { name, number, graph, mostChanges };
}

/** Columns of a shown name: odd bytes are quoted, so every character takes one. */
const widthOf = (name: string): number => name.length;

function lineOf(stat: FileStat, layout: Layout): string {
  const { name, number } = layout;
  const start = ` ${fittedName(shownName(stat.change), name)} | `;
  const { added, deleted, isBinary } = stat;
  if (isBinary) {
    const sizes = added === 0 && deleted === 0 ? "" : ` ${deleted} -> ${added} bytes`;
    return `${start}${"Bin".padStart(number)}${sizes}\n`;
  }
  const graph = added + deleted === 0 ? "" : ` ${graphOf(added, deleted, layout)}`;
  return `${start}${String(added + deleted).padStart(number)}${graph}\n`;
}

/** Long names lose their beginning, up to a slash if there is one. */
function fittedName(name: string, width: number): string {
  if (name.length <= width) return name.padEnd(width);
  const kept = name.slice(name.length - Math.max(0, width - 3));
  const slash = kept.indexOf("/");
  return `...${slash < 0 ? kept : kept.slice(slash)}`.padEnd(width);
}

function graphOf(added: number, deleted: number, { graph, mostChanges }: Layout): string {
  const scale = (count: number) => (count === 0 ? 0 : 1 + Math.trunc((count * (graph - 1)) / mostChanges));
  let [plus, minus] = [added, deleted];
  if (graph <= mostChanges) {
    let total = scale(added + deleted);
    if (total < 2 && added > 0 && deleted > 0) total = 2;
    if (added < deleted) {
      plus = scale(added);
      minus = total - plus;
    } else {
      minus = scale(deleted);
      plus = total - minus;
    }
  }
  return "+".repeat(plus) + "-".repeat(minus);
}
