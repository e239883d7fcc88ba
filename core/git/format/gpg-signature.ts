/** The claims of an OpenPGP signature about itself (RFC 9580 §5.2); none of them is proven. */
export interface GpgSignature {
  readonly kind: "gpg";
  /** 16 hexadecimal digits in upper case; absent when the signature names no key. */
  readonly keyId?: string;
  /** Of the signing key, upper case. */
  readonly fingerprint?: string;
  readonly createdSeconds?: number;
}

const armor =
  /^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----\r?\n([\s\S]*?)-----END PGP (?:SIGNATURE|MESSAGE)-----/;
const signaturePacket = 2;
const subpackets = { created: 2, issuer: 16, fingerprint: 33 };

/** Reads an armored signature; undefined when it is none. */
export function parseGpgSignature(armored: string): GpgSignature | undefined {
  const [, inside] = armor.exec(armored.trim()) ?? [];
  if (inside === undefined) return undefined;
  const start = /\r?\n\r?\n/.exec(inside);
  const lines = inside.slice(start === null ? 0 : start.index).split(/\r?\n/);
  // The last line may be a checksum.
  const base64 = lines.filter((line) => !line.startsWith("=")).join("");
  const packet = firstPacket(Buffer.from(base64, "base64"));
  if (packet?.tag !== signaturePacket) return undefined;
  return readBody(packet.body);
}

function firstPacket(data: Buffer): { tag: number; body: Buffer } | undefined {
  const [head = 0, first = 0, second = 0] = data;
  if ((head & 0x80) === 0) return undefined;
  if ((head & 0x40) === 0) {
    const width = [1, 2, 4][head & 3];
    if (width === undefined || data.length < 1 + width) return undefined;
    return { tag: (head >> 2) & 15, body: data.subarray(1 + width, 1 + width + data.readUIntBE(1, width)) };
  }
  const tag = head & 0x3f;
  if (first < 192) return { tag, body: data.subarray(2, 2 + first) };
  if (first < 224) return { tag, body: data.subarray(3, 3 + (first - 192) * 256 + second + 192) };
  return first === 255 && data.length > 6
    ? { tag, body: data.subarray(6, 6 + data.readUInt32BE(2)) }
    : undefined;
}

const upperHex = (bytes: Buffer): string => bytes.toString("hex").toUpperCase();

function readBody(body: Buffer): GpgSignature | undefined {
  const [version] = body;
  if (version === 3 && body.length >= 15) {
    return { kind: "gpg", createdSeconds: body.readUInt32BE(3), keyId: upperHex(body.subarray(7, 15)) };
  }
  if (version !== 4 || body.length < 6) return undefined;
  const hashedEnd = 6 + body.readUInt16BE(4);
  if (hashedEnd + 2 > body.length) return undefined;
  const unhashedEnd = hashedEnd + 2 + body.readUInt16BE(hashedEnd);
  const found = new Map<number, Buffer>();
  for (const area of [body.subarray(6, hashedEnd), body.subarray(hashedEnd + 2, unhashedEnd)]) {
    for (const { type, data } of subpacketsOf(area)) if (!found.has(type)) found.set(type, data);
  }
  const created = found.get(subpackets.created);
  const fingerprint = found.get(subpackets.fingerprint)?.subarray(1);
  const issuer = found.get(subpackets.issuer) ?? fingerprint?.subarray(-8);
  return {
    kind: "gpg",
    ...(issuer?.length === 8 && { keyId: upperHex(issuer) }),
    ...(fingerprint !== undefined && { fingerprint: upperHex(fingerprint) }),
    ...(created?.length === 4 && { createdSeconds: created.readUInt32BE() }),
  };
}

function* subpacketsOf(area: Buffer): Generator<{ type: number; data: Buffer }> {
  for (let at = 0; at + 1 < area.length; ) {
    const first = area[at] as number;
    let length = first;
    let start = at + 1;
    if (first >= 192 && first < 255) {
      length = (first - 192) * 256 + (area[at + 1] as number) + 192;
      start = at + 2;
    } else if (first === 255) {
      if (at + 5 > area.length) return;
      length = area.readUInt32BE(at + 1);
      start = at + 5;
    }
    if (length === 0 || start + length > area.length) return;
    yield { type: (area[start] as number) & 0x7f, data: area.subarray(start + 1, start + length) };
    at = start + length;
  }
}
