import { expect, it } from "vitest";
import { acceptedEncoding } from "#functions/http/answer/accepted-encoding";

it.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate, zstd", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["gzip, br", "br"],
  ["gzip;q=1.0, br;q=0.8", "gzip"],
  ["br;q=0, gzip;q=0.1", "gzip"],
  ["gzip;q=0, br;q=0", undefined],
  ["gzip;q=0, *", "br"],
  ["*;q=0", undefined],
  ["identity, gzip;q=0.5", undefined],
  ["identity;q=0.5, gzip", "gzip"],
  ["identity;q=0, gzip;q=0.001", "gzip"],
])("Accept-Encoding: %s is answered by %s (RFC 9110, section 12.5.3)", (accepted, expected) => {
  const headers = new Headers(accepted === undefined ? {} : { "accept-encoding": accepted });
  expect(acceptedEncoding(new Request("http://forge.test", { headers }), ["br", "gzip"])).toBe(expected);
});
