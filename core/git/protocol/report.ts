import type { LandedAs, RefResult } from "../refs/check-changes.ts";
import { encodeRefName } from "../refs/ref-name.ts";
import type { Capabilities } from "./capabilities.ts";
import { dataPacket, flushPacket } from "./pkt-line.ts";
import { band, bandFrame, bandFrames } from "./side-band.ts";

/** The answer for the pusher: whether the pack was taken, each ref's fate, and lines for people. */
export interface PushReport {
  /** Why the pack was not taken; absent when it was. */
  readonly problem?: string;
  readonly results: readonly RefResult[];
  readonly messages: readonly string[];
}

/** One line, short enough for a packet. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, " ").slice(0, 1000);

/**
 * The lines of report-status and report-status-v2 (gitprotocol-pack). The second adds options to a ref that landed as
 * another one.
 */
function statusPackets({ problem, results }: PushReport, hasOptions: boolean): Buffer {
  const packets = [dataPacket(`unpack ${problem === undefined ? "ok" : plain(problem)}\n`)];
  for (const { name, refusal, as } of results) {
    const fate = refusal === undefined ? ["ok ", ""] : ["ng ", ` ${plain(refusal)}`];
    packets.push(
      dataPacket(
        Buffer.concat([Buffer.from(fate[0] as string), encodeRefName(name), Buffer.from(`${fate[1]}\n`)]),
      ),
    );
    if (hasOptions && as !== undefined) packets.push(...optionPackets(as));
  }
  return Buffer.concat([...packets, flushPacket]);
}

/** The ref that landed, where it was and is, and whether that took commits away. */
function optionPackets({ change: { name, old, new: id }, isForced }: LandedAs): Buffer[] {
  const option = (...words: string[]) => dataPacket(`option ${words.join(" ")}\n`);
  return [
    dataPacket(Buffer.concat([Buffer.from("option refname "), encodeRefName(name), Buffer.from("\n")])),
    ...(old === undefined ? [] : [option("old-oid", old)]),
    ...(id === undefined ? [] : [option("new-oid", id)]),
    ...(isForced ? [option("forced-update")] : []),
  ];
}

/** The report in the form the client asked for: on side-band 1 after messages on 2, or plain, or not at all. */
export async function* renderReport(report: PushReport, capabilities: Capabilities): AsyncGenerator<Buffer> {
  const hasOptions = capabilities.has("report-status-v2");
  const isAsked = capabilities.has("report-status") || hasOptions;
  const status = isAsked ? [statusPackets(report, hasOptions)] : [];
  if (!capabilities.has("side-band-64k")) {
    yield* status;
    return;
  }
  for (const message of report.messages) yield bandFrame(band.progress, `${message}\n`);
  if (status.length === 0 && report.problem !== undefined) {
    yield bandFrame(band.error, `${plain(report.problem)}\n`);
  }
  yield* bandFrames(band.data, status);
  yield flushPacket;
}
