import { createHash } from "node:crypto";
import type { Forge } from "#core/forge";
import { encodeLog } from "#core/git/refs/ref-log";
import { compactRefs } from "#core/git/store/refs/compaction";
import { logKey, replaceRoot } from "#core/git/store/refs/refs.table";
import { readRoot, readSnapshot } from "#core/git/store/refs/snapshot";
import { newRoot } from "#core/git/store/store";
import { put } from "#core/table/write";
import { measured } from "#tests/support/measured";
import { makeForge } from "../../support/forge.ts";
import { onItsOwn } from "../apart.ts";
import type { BenchContext } from "../bench.ts";

/** Refs: from the log of one push, then compacted; the design's figures are of all branches, cold. */
export async function refRows(context: BenchContext, count: number): Promise<string[][]> {
  const on = await makeForge(onItsOwn(context));
  try {
    const { table } = on.forge;
    await table.write(newRoot(1, { format: "sha1", defaultBranch: "main" }));
    const root = await readRoot(table, 1);
    if (root === undefined) throw new Error("there is no ROOT");
    const author = { name: "A Committer", email: "committer@example.com" };
    const record = { subject: "Change a line or two", author, committedSeconds: 1e9, committedZone: "+0000" };
    const changes = Array.from({ length: count }, (_, at) => ({
      ...{ name: `refs/heads/topic-${at}`, new: createHash("sha1").update(String(at)).digest("hex"), record },
    }));
    const log = encodeLog("sha1", { pushId: "0".repeat(16), pusherId: 1, timeMs: 1, packIds: [], changes });
    const items = log.map((bytes, at) => put({ ...logKey(1, 1, at), changes: bytes, _v: 1 }));
    await table.transact([replaceRoot(root, { v: 1 }), ...items]);
    const fromLog = await measureRefs(on.forge);
    const compacting = await measured(() => compactRefs(on.forge, 1, { least: 1 }));
    const compacted = await measureRefs(on.forge);
    const design = count === 100 ? "4 / 1" : "197.5 / 1";
    return [
      ["refs: all, from the log", String(count), ...fromLog.slice(0, 1), "", ...fromLog.slice(1)],
      ["refs: all, compacted", String(count), ...compacted.slice(0, 1), design, ...compacted.slice(1)],
      [
        "compaction of the refs",
        String(count),
        `${compacting.usage.tableReadUnits} r, ${compacting.usage.tableWriteUnits} w`,
      ],
    ];
  } finally {
    await on.stop();
  }
}

async function measureRefs(forge: Forge): Promise<string[]> {
  const table = { ...forge.table };
  const read = async () => {
    const before = process.cpuUsage();
    const { usage } = await measured(() => readSnapshot(table, 1));
    const { user, system } = process.cpuUsage(before);
    return { units: usage.tableReadUnits, cpuMs: (user + system) / 1_000 };
  };
  const [cold, warm] = [await read(), await read()];
  return [`${cold.units} / ${warm.units}`, `${cold.cpuMs.toFixed(1)} / ${warm.cpuMs.toFixed(1)}`];
}
