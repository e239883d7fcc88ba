import { createHash } from "node:crypto";
import { escapeHtml } from "#core/escape-html";
import { oneLine } from "#core/mail/address";
import type { FileAnswer } from "../../http/answer/file-answer.ts";

const colors = {
  good: "#3c8527",
  bad: "#c33",
  busy: "#a66a00",
  plain: "#1a6fb0",
  none: "#666",
} as const;

/** What a badge says: what it is about, and how it is. */
export interface Badge {
  readonly label: string;
  readonly text: string;
  readonly color: keyof typeof colors;
}

const longestText = 60;
const characterWidth = 7;
const padding = 10;
const height = 20;

/**
 * A badge as an image that loads nothing and runs nothing. Texts of users are cut off after 60 characters; each is
 * squeezed into its half, because nobody knows the reader's fonts.
 */
export function drawBadge({ label, text, color }: Badge): string {
  const [left, right] = [labelOf(label), labelOf(text)];
  const width = left.width + right.width;
  const title = `${left.text}: ${right.text}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${title}"><title>${title}</title>
<rect width="${width}" height="${height}" rx="3" fill="#444"/><path d="M${left.width} 0h${right.width - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right.width - 3}z" fill="${colors[color]}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">${wordAt(left, 0)}${wordAt(right, left.width)}</g></svg>
`;
}

interface Half {
  /** Escaped. */
  readonly text: string;
  readonly width: number;
}

/** No text of XML may have them. */
const notInXml = /[\ufffe\uffff]/g;

function labelOf(text: string): Half {
  const line = oneLine(text.replace(notInXml, "\ufffd"), longestText);
  return { text: escapeHtml(line), width: Array.from(line).length * characterWidth + padding };
}

const wordAt = ({ text, width }: Half, from: number): string =>
  `<text x="${from + width / 2}" y="14" textLength="${width - padding}" lengthAdjust="spacingAndGlyphs">${text}</text>`;

/** It as an answer: kept for a minute by its reader alone, then asked for again by its content. */
export function badgeAnswer(badge: Badge): FileAnswer {
  const bytes = Buffer.from(drawBadge(badge));
  return {
    sizeBytes: bytes.length,
    contentType: "image/svg+xml",
    etag: createHash("sha256").update(bytes).digest("hex").slice(0, 32),
    headers: {
      "cache-control": "private, max-age=60, must-revalidate",
      "content-security-policy": "default-src 'none'; sandbox",
    },
    async *read() {
      yield bytes;
    },
  };
}
