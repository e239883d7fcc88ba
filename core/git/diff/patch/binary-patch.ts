import { deflateSync } from "node:zlib";

/** The digits of git's base 85, by their value. */
export const base85Alphabet =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const bytesPerLine = 52;
const bytesPerGroup = 4;

/**
 * A change of a binary file in the form that `git apply` takes, both ways. Contents are written whole; git would write
 * a delta when that is shorter.
 */
export function binaryPatch(before: Buffer, after: Buffer): Buffer {
  return Buffer.from(`GIT binary patch\n${literal(after)}${literal(before)}`, "latin1");
}

function literal(content: Buffer): string {
  const deflated = deflateSync(content);
  let text = `literal ${content.length}\n`;
  for (let at = 0; at < deflated.length; at += bytesPerLine) {
    const line = deflated.subarray(at, at + bytesPerLine);
    const { length } = line;
    const mark = length <= 26 ? 0x40 + length : 0x60 + length - 26;
    text += `${String.fromCharCode(mark)}${base85(line)}\n`;
  }
  return `${text}\n`;
}

/** Four bytes as five digits, the last group filled up with zeros. */
function base85(bytes: Buffer): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += bytesPerGroup) {
    let value = 0;
    for (let byte = 0; byte < bytesPerGroup; byte++) value = value * 256 + (bytes[at + byte] ?? 0);
    let group = "";
    for (let digit = 0; digit < 5; digit++) {
      group = base85Alphabet[value % 85] + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
