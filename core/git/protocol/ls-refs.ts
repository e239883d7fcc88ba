import { decodeRefName, latin1RefName } from "../refs/ref-name.ts";
import type { RefEntry, RefTable } from "../refs/ref-table.ts";
import { type GitRefs, headEntry } from "../repository.ts";
import { flushPacket, packetText } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";

interface LsRefsArguments {
  isPeeling: boolean;
  withSymrefs: boolean;
  withUnborn: boolean;
  prefixes: string[];
}

/** With more prefixes all refs are listed: a prefix is a hint (gitprotocol-v2). */
const mostPrefixes = 5_000;

function parseArguments(lines: readonly string[]): LsRefsArguments {
  const parsed: LsRefsArguments = { isPeeling: false, withSymrefs: false, withUnborn: false, prefixes: [] };
  for (const line of lines) {
    if (line === "peel") parsed.isPeeling = true;
    else if (line === "symrefs") parsed.withSymrefs = true;
    else if (line === "unborn") parsed.withUnborn = true;
    else if (line.startsWith("ref-prefix ")) {
      parsed.prefixes.push(decodeRefName(Buffer.from(line.slice("ref-prefix ".length), "latin1")));
    } else throw new ProtocolError(`ls-refs: unexpected argument "${line.slice(0, 80)}"`);
  }
  return parsed;
}

const wanted = (refs: RefTable, prefixes: readonly string[]): readonly RefEntry[] =>
  prefixes.length === 0 || prefixes.length > mostPrefixes ? refs.entries : refs.listAny(prefixes);

/** Answers the v2 command ls-refs. Lines are latin1, as from `lineOf`. */
export function lsRefs(repository: GitRefs, lines: readonly string[]): Buffer {
  const { isPeeling, withSymrefs, withUnborn, prefixes } = parseArguments(lines);
  const head = headEntry(repository);
  const target = `symref-target:${latin1RefName(repository.head)}`;
  let text = "";
  if (prefixes.length === 0 || prefixes.some((prefix) => "HEAD".startsWith(prefix))) {
    if (head !== undefined) text += packetText(`${head.id} HEAD${withSymrefs ? ` ${target}` : ""}\n`);
    else if (withUnborn) text += packetText(`unborn HEAD ${target}\n`);
  }
  for (const { id, name, peeled } of wanted(repository.refs, prefixes)) {
    const attribute = isPeeling && peeled !== undefined ? ` peeled:${peeled}` : "";
    text += packetText(`${id} ${latin1RefName(name)}${attribute}\n`);
  }
  return Buffer.concat([Buffer.from(text, "latin1"), flushPacket]);
}
