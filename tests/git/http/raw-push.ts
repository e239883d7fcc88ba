import { dataPacket, flushPacket, PacketReader } from "#core/git/protocol/pkt-line";
import { git, runGit } from "./real-git.ts";

/** One ref of a hand-made push; the zero id stands for nothing. */
export interface RawCommand {
  readonly old: string;
  readonly new: string;
  readonly name: string | Buffer;
}

/** A push request as a client writes it. */
export function rawPush(
  commands: readonly RawCommand[],
  pack: Uint8Array = Buffer.alloc(0),
  capabilities = "report-status side-band-64k",
): Buffer {
  const lines = commands.map((command, index) =>
    dataPacket(
      Buffer.concat([
        Buffer.from(`${command.old} ${command.new} `),
        Buffer.from(command.name as string),
        Buffer.from(index === 0 ? `\0${capabilities}` : ""),
      ]),
    ),
  );
  return Buffer.concat([...lines, flushPacket, pack]);
}

/** Sends a push to a repository's URL. */
export const sendPush = (url: string, body: Uint8Array, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/git-receive-pack`, {
    method: "POST",
    body: Uint8Array.from(body),
    headers: { "content-type": "application/x-git-receive-pack-request" },
    ...init,
  });

/** The report's lines, what was said on side-band 2, and how many frames only kept the connection alive. */
export async function readReport(
  answer: Response,
): Promise<{ lines: string[]; messages: string; keepAlives: number }> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  const outer = await payloads(bytes);
  const of = (band: number) =>
    outer.filter((payload) => payload[0] === band).map((payload) => payload.subarray(1));
  return {
    lines: (await payloads(Buffer.concat(of(1)))).map((line) => line.toString().trimEnd()),
    messages: Buffer.concat(of(2)).toString(),
    keepAlives: of(2).filter(({ length }) => length === 0).length,
  };
}

async function payloads(bytes: Buffer): Promise<Buffer[]> {
  const reader = new PacketReader(
    (async function* () {
      yield bytes;
    })(),
  );
  const found: Buffer[] = [];
  for (let packet = await reader.read(); packet !== undefined; packet = await reader.read()) {
    if (packet.kind === "data") found.push(packet.payload);
  }
  return found;
}

/** A pack of exactly the objects named. */
export async function packOf(folder: string, ids: readonly string[]): Promise<Buffer> {
  const run = await runGit(folder, ["pack-objects", "--stdout", "-q"], {
    input: ids.map((id) => `${id}\n`).join(""),
  });
  if (run.code !== 0) throw new Error(run.stderr);
  return run.stdout;
}

/**
 * Makes refs to objects that the repository has, in one push by hand: over HTTP git's own client looks for each ref of
 * a push among all that there are, a minute for 10,000. Throws with the report unless all land.
 */
export async function pushRefs(
  url: string,
  folder: string,
  refs: readonly { readonly id: string; readonly name: string }[],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const commands = refs.map(({ id, name }) => ({ old: "0".repeat(id.length), new: id, name }));
  const capabilities = `report-status side-band-64k object-format=${refs[0]?.id.length === 64 ? "sha256" : "sha1"}`;
  const body = rawPush(commands, await packOf(folder, []), capabilities);
  const sent = { "content-type": "application/x-git-receive-pack-request", ...headers };
  const { lines } = await readReport(await sendPush(url, body, { headers: sent }));
  const landed = lines.filter((line) => line.startsWith("ok ")).length;
  if (landed !== refs.length) throw new Error(`${landed} of ${refs.length} landed: ${lines.slice(0, 5)}`);
}

/** Ids of all objects that lead from a revision. */
export const objectsOf = async (folder: string, revision: string): Promise<string[]> =>
  (await git(folder, ["rev-list", "--objects", "--no-object-names", revision])).split("\n");
