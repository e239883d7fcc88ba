import { createHash, createHmac } from "node:crypto";

/** Who asks, and where. */
export interface Signing {
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly region: string;
  readonly service: string;
}

/** What is asked: a POST of this body to this path. The headers' names are in lower case. */
export interface Signable {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/**
 * Signs requests as AWS asks it (Signature Version 4), all of their headers; answers the headers to send. Its own, as
 * the SDK's signer, which can do much more, takes longer than all else that a request needs.
 */
export function createSigner(): (request: Signable, signing: Signing, at: Date) => Record<string, string> {
  const keyFor = rememberingTheLast(signingKey);
  return ({ path, headers: given, body }, { credentials, region, service }, at) => {
    const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const token = sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken };
    const headers: Record<string, string> = { ...given, "x-amz-date": time, ...token };
    const names = Object.keys(headers).sort();
    const lines = names.map((name) => `${name}:${headers[name]}\n`).join("");
    const signedHeaders = names.join(";");
    const canonical = `POST\n${escaped(path)}\n\n${lines}\n${signedHeaders}\n${hash(body)}`;
    const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
    const signature = createHmac("sha256", keyFor(secretAccessKey, scope))
      .update(`${algorithm}\n${time}\n${scope}\n${hash(canonical)}`)
      .digest("hex");
    headers.authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
    return headers;
  };
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const escaped = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** A key for a day, a region and a service, which the scope names. */
const signingKey = (secret: string, scope: string): Buffer =>
  scope
    .split("/")
    .reduce<Buffer>(
      (key, part) => createHmac("sha256", key).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    );

/** The same, made anew only when it is asked for something else: once a day, or when credentials change. */
function rememberingTheLast<T>(make: (one: string, other: string) => T): typeof make {
  let last: { one: string; other: string; made: T } | undefined;
  return (one, other) => {
    if (last?.one !== one || last.other !== other) last = { one, other, made: make(one, other) };
    return last.made;
  };
}
