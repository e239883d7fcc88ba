import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { giveWay } from "#core/concurrency/give-way";
import { lazy } from "#core/lazy";
import { acceptedEncoding } from "../http/answer/accepted-encoding.ts";
import { taggedAnswer } from "../http/answer/answer.ts";

/** They change only with the version; five minutes bound how long a reader may miss an upgrade. */
const cacheControl = "public, max-age=300, must-revalidate";

/** Smaller forms first: of two that a client likes alike it gets this one. */
const encodings = ["br", "gzip"] as const;
type Encoding = (typeof encodings)[number];

const level = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }; // 11 takes seconds for 3 % of what was sent
const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, level),
  gzip: promisify(gzip),
};

/**
 * The same answer each time, in the form that the reader likes best: each is made with the first request for it, and has
 * an ETag of its own (RFC 9110, section 8.8.3.3). Readers share its bytes.
 */
export function keptAnswer(
  make: (headers: Headers) => Promise<string>,
  type = "application/json;charset=utf-8",
): (request: Request) => Promise<Response> {
  const made = lazy(async () => {
    const headers = new Headers({ "cache-control": cacheControl, vary: "Accept-Encoding" });
    const text = await make(headers);
    await giveWay(); // megabytes are encoded here, and digested with the next step
    return { bytes: Buffer.from(text), headers };
  });
  const form = (encoding: Encoding | undefined) =>
    lazy(async () => {
      const { bytes: plain, headers: given } = await made();
      const bytes = encoding === undefined ? plain : Buffer.from(await compress[encoding](plain));
      const headers = new Headers(given);
      if (encoding !== undefined) headers.set("content-encoding", encoding);
      return { bytes, headers: taggedAnswer(bytes, type, 200, headers).headers };
    });
  const plainForm = form(undefined);
  const forms: Readonly<Record<Encoding, typeof plainForm>> = { br: form("br"), gzip: form("gzip") };
  return async (request) => {
    const encoding = acceptedEncoding(request, encodings);
    const { bytes, headers } = await (encoding === undefined ? plainForm : forms[encoding])();
    return new Response(bytes, { headers });
  };
}
