import type { Random } from "#tests/support/random";

const telling = [
  "\0",
  "\n",
  " ",
  "0000",
  "0001",
  "fff0",
  "00",
  "-1",
  "99999999999999999999",
  "\xff\xff\xff\xff",
];

/** Bytes changed in a few places: bits, runs, cuts, doublings, and pieces that parsers look at twice. */
export function mutate(random: Random, bytes: Buffer): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let times = 1 + random.integer(4); times > 0; times--) changed = mutateOnce(random, changed);
  return changed;
}

function mutateOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.integer(bytes.length + 1);
  const end = Math.min(bytes.length, at + random.integer(40));
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (random.integer(6)) {
    case 0:
      return Buffer.from(before);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, piece, piece, after]);
    case 3:
      return Buffer.concat([before, Buffer.from(random.pick(telling), "latin1"), after]);
    case 4:
      return Buffer.concat([before, Buffer.from(piece.map(() => random.integer(256))), after]);
    default:
      if (at === bytes.length) return bytes;
      bytes[at] = (bytes[at] as number) ^ (1 << random.integer(8));
      return bytes;
  }
}
