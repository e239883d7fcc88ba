import type { Lines } from "./lines.ts";

/*
 * When a group of added or removed lines can slide, git puts it where the cuts above and below it read best. Git's
 * developers found the weights on a corpus judged by people; the results must equal git's, so these are the same.
 */
const mostIndent = 200;
const mostBlanks = 20;
const mostSliding = 100;
const indentWeight = 60;
const penalties = {
  startOfFile: 1,
  endOfFile: 21,
  anyBlank: -30,
  blankAfter: 6,
  indented: { plain: -4, withBlank: 10 },
  outdented: { plain: 24, withBlank: 17 },
  dedented: { plain: 23, withBlank: 17 },
};

const blank = -1;
const tab = 0x09;
const space = 0x20;

/** Columns that a line is indented by; -1 for a blank one. */
function indentOf({ data, starts }: Lines, line: number): number {
  const end = starts[line + 1] as number;
  let indent = 0;
  for (let at = starts[line] as number; at < end; at++) {
    const byte = data[at] as number;
    if (byte === space) indent += 1;
    else if (byte === tab) indent += 8 - (indent % 8);
    else if (byte !== 0x0a && byte !== 0x0d) return indent;
    if (indent >= mostIndent) return mostIndent;
  }
  return blank;
}

/** The indent of the nearest line that is not blank, and the blank lines before it. */
function nearestIndent(text: Lines, from: number, step: 1 | -1): { indent: number; blanks: number } {
  let blanks = 0;
  for (let line = from; line >= 0 && line < text.count; line += step) {
    const indent = indentOf(text, line);
    if (indent !== blank) return { indent, blanks };
    blanks += 1;
    if (blanks === mostBlanks) return { indent: 0, blanks };
  }
  return { indent: blank, blanks };
}

interface Score {
  indent: number;
  penalty: number;
}

/** Adds how badly a cut before `line` reads. */
function addCut(score: Score, text: Lines, line: number): void {
  const isEnd = line >= text.count;
  const own = isEnd ? blank : indentOf(text, line);
  const before = nearestIndent(text, line - 1, -1);
  const after = nearestIndent(text, line + 1, 1);
  if (before.indent === blank && before.blanks === 0) score.penalty += penalties.startOfFile;
  if (isEnd) score.penalty += penalties.endOfFile;
  const blanksAfter = own === blank ? 1 + after.blanks : 0;
  const blanks = before.blanks + blanksAfter;
  score.penalty += penalties.anyBlank * blanks + penalties.blankAfter * blanksAfter;
  const indent = own === blank ? after.indent : own;
  score.indent += indent;
  if (indent === blank || before.indent === blank || indent === before.indent) return;
  const opensBlock = after.indent !== blank && after.indent > indent;
  const lower = opensBlock ? penalties.outdented : penalties.dedented;
  const kind = indent > before.indent ? penalties.indented : lower;
  score.penalty += blanks === 0 ? kind.plain : kind.withBlank;
}

/** The end of a group that is now as low as it goes: not above `highestEnd`. The lowest of equally good places. */
export function bestSplit(
  text: Lines,
  group: { readonly start: number; readonly end: number },
  highestEnd: number,
): number {
  const size = group.end - group.start;
  let best: { end: number; score: Score } | undefined;
  for (
    let end = Math.max(highestEnd, group.end - size - 1, group.end - mostSliding);
    end <= group.end;
    end++
  ) {
    const score = { indent: 0, penalty: 0 };
    addCut(score, text, end);
    addCut(score, text, end - size);
    if (best === undefined || compare(score, best.score) <= 0) best = { end, score };
  }
  return best?.end ?? group.end;
}

const compare = (left: Score, right: Score): number =>
  indentWeight * Math.sign(left.indent - right.indent) + left.penalty - right.penalty;
