import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";

/** A request that reached the receiver. */
export interface Received {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** What the receiver does with a request; it has been recorded before. */
export type Answer = (response: http.ServerResponse, request: Received) => void;

/** A server on 127.0.0.1 that records what it is sent: the other end of a webhook. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  /** Replaces the answer, which is 200 with the text `ok` at first. */
  answer: Answer;
  /** Resolves once that many requests have come in all. */
  received(count: number): Promise<Received[]>;
  /** Cuts every connection and stops. */
  close(): Promise<void>;
}

/** Starts a receiver; with `tls` it speaks https. */
export async function startReceiver(tls?: https.ServerOptions): Promise<Receiver> {
  const requests: Received[] = [];
  // Only the client closes an idle connection: closing it here would race with its next request.
  const idle = { keepAliveTimeout: 0 };
  const server = tls === undefined ? http.createServer(idle) : https.createServer({ ...idle, ...tls });
  const receiver: Receiver = {
    url: "",
    port: 0,
    requests,
    answer: (response) => response.end("ok"),
    async received(count) {
      while (requests.length < count) await once(server, "recorded");
      return requests;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  server.on("request", async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const recorded = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") };
    requests.push(recorded);
    server.emit("recorded");
    receiver.answer(response, recorded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/`,
  });
}

/**
 * A key and a self-signed certificate for the made-up host hooks.example; made for tests, known to everybody,
 * trusted by nobody.
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7MQ6Zt/R++FF2Zh5
SutRBRFQbjvK6ZEnHKE3eB8rXTWhRANCAATthjvNEtjpFfSnwbsX5Tz260CJqgS3
63ade7prcoeS4RKBe/0IhN+C9xbE8gggTxOZkX5JEP/q3UnYVioLb+N8
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUJHbm5st3Kg1pPwR+wJb0K5D8EnYwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTAgFw0yNjExMjAxOTMyNDNaGA8yMTI2
MTAyNzE5MzI0M1owGDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABO2GO80S2OkV9KfBuxflPPbrQImqBLfrdp17umtyh5Lh
EoF7/QiE34L3FsTyCCBPE5mRfkkQ/+rdSdhWKgtv43yjbTBrMB0GA1UdDgQWBBRn
08LYkUjRKFV9WRbeDfNpaps8VTAfBgNVHSMEGDAWgBRn08LYkUjRKFV9WRbeDfNp
aps8VTAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDWhvb2tzLmV4YW1wbGUw
CgYIKoZIzj0EAwIDSAAwRQIhAIP5piV0ckSnNJ0ICCyMGqWzlCKUuRMsJyWN3G4Q
WdevAiA0p8jguYlMlHrP74k6BOigq2nVA+DClflNakFVEjgyTQ==
-----END CERTIFICATE-----`,
};
