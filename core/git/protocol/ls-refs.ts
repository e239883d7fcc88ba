import { compareRefNames, decodeRefName, encodeRefName } from "../refs/ref-name.ts";
import type { RefEntry, RefTable } from "../refs/ref-table.ts";
import { headEntry, type RefSnapshot } from "../refs/snapshot.ts";
import { dataPacket, flushPacket } from "./pkt-line.ts";
import { ProtocolError } from "./protocol-error.ts";

interface LsRefsArguments {
  isPeeling: boolean;
  withSymrefs: boolean;
  withUnborn: boolean;
  prefixes: string[];
}

/** Beyond this many prefixes all refs are listed: a prefix is a hint (gitprotocol-v2). */
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

function wanted(refs: RefTable, prefixes: readonly string[]): readonly RefEntry[] {
  if (prefixes.length === 0 || prefixes.length > mostPrefixes) return refs.entries;
  const found = new Set<RefEntry>();
  for (const prefix of new Set(prefixes)) for (const entry of refs.list(prefix)) found.add(entry);
  return [...found].sort((left, right) => compareRefNames(left.name, right.name));
}

function line(id: string, name: string, ...attributes: string[]): Buffer {
  const text = [id, encodeRefName(name).toString("latin1"), ...attributes].join(" ");
  return dataPacket(Buffer.from(`${text}\n`, "latin1"));
}

/** Answers the v2 command ls-refs. Lines are latin1 as `lineOf` gives them. */
export function lsRefs(snapshot: RefSnapshot, lines: readonly string[]): Buffer[] {
  const { isPeeling, withSymrefs, withUnborn, prefixes } = parseArguments(lines);
  const packets: Buffer[] = [];
  const head = headEntry(snapshot);
  const target = `symref-target:${encodeRefName(snapshot.root.head).toString("latin1")}`;
  if (prefixes.length === 0 || prefixes.some((prefix) => "HEAD".startsWith(prefix))) {
    if (head !== undefined) packets.push(line(head.id, "HEAD", ...(withSymrefs ? [target] : [])));
    else if (withUnborn) packets.push(line("unborn", "HEAD", target));
  }
  for (const { id, name, peeled } of wanted(snapshot.refs, prefixes)) {
    packets.push(line(id, name, ...(isPeeling && peeled !== undefined ? [`peeled:${peeled}`] : [])));
  }
  return [...packets, flushPacket];
}
