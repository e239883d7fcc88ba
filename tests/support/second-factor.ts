import { createHmac } from "node:crypto";
import { basic, type Caller, type TestApi } from "./api.ts";

/** What a device shows at a time (RFC 6238), made without the library that the server takes. */
export function codeOf(secret: string, timeMs: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((sign) => alphabet.indexOf(sign).toString(2).padStart(5, "0")).join("");
  const seed = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timeMs / 30_000)));
  const digest = createHmac("sha1", seed).update(counter).digest();
  const offset = (digest[19] ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Codes that a device shows neither at this time nor half a minute before or behind it, the least first. */
export function wrongCodes(secret: string, timeMs: number, count: number): string[] {
  const right = [-30_000, 0, 30_000].map((ms) => codeOf(secret, timeMs + ms));
  const all = Array.from({ length: count + right.length }, (_, at) => String(at).padStart(6, "0"));
  return all.filter((code) => !right.includes(code)).slice(0, count);
}

/** Turns a caller's second factor on; answers the code of the test clock's half minute. */
export async function turnOnSecondFactor(api: TestApi, caller: Caller): Promise<string> {
  const headers = basic(caller.name, caller.password);
  const begun = await api.call("POST", "/user/two_factor", { headers });
  const code = codeOf(begun.json.secret, api.clock.now());
  const on = await api.call("PUT", "/user/two_factor", { headers, body: { code } });
  if (on.status !== 200) throw new Error(`the second factor of ${caller.name} is not on: ${on.text}`);
  return code;
}
