import type { ObjectFormat } from "#core/git/format/object-format";
import { dataPacket, flushPacket, PacketReader } from "#core/git/protocol/pkt-line";

const delimiter = Buffer.from("0001");

/** One v2 command with its arguments, as a client writes it. */
export const commandOf = (
  format: ObjectFormat,
  name: string,
  args: readonly string[],
  keys: readonly string[] = [],
): Buffer =>
  Buffer.concat([
    ...[`command=${name}`, `object-format=${format}`, ...keys].map((line) =>
      dataPacket(Buffer.from(`${line}\n`, "latin1")),
    ),
    delimiter,
    ...args.map((line) => dataPacket(Buffer.from(`${line}\n`, "latin1"))),
    flushPacket,
  ]);

/** Sends a request to upload-pack; v2 unless another version is named. */
export const ask = (url: string, body: Uint8Array, version: "0" | "1" | "2" = "2"): Promise<Response> =>
  fetch(`${url}/git-upload-pack`, {
    method: "POST",
    body: Uint8Array.from(body),
    headers: {
      "content-type": "application/x-git-upload-pack-request",
      ...(version === "0" ? {} : { "git-protocol": `version=${version}` }),
    },
  });

/** An answer to the v2 command fetch, taken apart. */
export interface FetchAnswer {
  /** Lines by section, and the order of the sections. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
  readonly order: readonly string[];
  readonly pack: Buffer;
  readonly progress: string;
  /** Side-band 3, or an ERR line. */
  readonly error: string | undefined;
  readonly keepAlives: number;
}

/** Reads an answer to the end. With `isBanded` every line carries its side-band, as `sideband-all` asks for. */
export async function readAnswer(answer: Response, isBanded = false): Promise<FetchAnswer> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  const reader = new PacketReader(
    (async function* () {
      yield bytes;
    })(),
  );
  const sections: Record<string, string[]> = {};
  const order: string[] = [];
  const bands: Buffer[][] = [[], [], [], []];
  let error: string | undefined;
  let keepAlives = 0;
  let name: string | undefined;
  for (let packet = await reader.read(); packet !== undefined; packet = await reader.read()) {
    if (packet.kind === "delimiter") name = undefined;
    if (packet.kind !== "data") continue;
    let { payload } = packet;
    if (payload.toString("latin1", 0, 4) === "ERR ") {
      error = payload.toString().slice(4);
      continue;
    }
    if (isBanded || name === "packfile") {
      const number = payload[0] as number;
      payload = payload.subarray(1);
      if (number === 2 && payload.length === 0) keepAlives += 1;
      if (number === 3) error = payload.toString();
      if (number !== 1 || name === "packfile") {
        bands[number]?.push(payload);
        continue;
      }
    }
    const line = payload.toString("latin1").trimEnd();
    if (name === undefined) {
      name = line;
      order.push(line);
      sections[line] = [];
    } else sections[name]?.push(line);
  }
  const pack = Buffer.concat(bands[1] as Buffer[]);
  return {
    sections,
    order,
    pack,
    progress: Buffer.concat(bands[2] as Buffer[]).toString(),
    error,
    keepAlives,
  };
}
